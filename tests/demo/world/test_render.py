"""Test that pictures follow from their scene alone, and that every part of it shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from personalq.demo.world.accessories import ACCESSORIES, HEADS
from personalq.demo.world.colours import COLOURS
from personalq.demo.world.environments import ENVIRONMENTS
from personalq.demo.world.render import render
from personalq.demo.world.scene import (
    POSES,
    STYLES,
    SUBJECTS,
    Scene,
    draw_subject,
    random_scene,
)

BEAR = Scene("bear", "brown", "grass", "photo", seed=5)


def _distance(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """Mean absolute difference in grey levels."""
    return float(np.abs(a.astype(float) - b).mean())


def _all_differ(pictures: list[NDArray[np.uint8]], least: float) -> bool:
    return all(_distance(a, b) > least for i, a in enumerate(pictures) for b in pictures[:i])


def test_there_is_enough_to_see():
    assert len(SUBJECTS) >= 10
    assert len(ENVIRONMENTS) >= 8
    assert set(STYLES) == {"photo", "cartoon", "sketch", "painting"}


def test_same_scene_gives_the_same_picture():
    picture = render(BEAR)
    assert picture.shape == (128, 128, 3)
    assert picture.dtype == np.uint8
    assert np.array_equal(picture, render(replace(BEAR)))


@pytest.mark.parametrize("style", STYLES)
def test_seed_moves_the_subject(style: str):
    scene = replace(BEAR, style=style)
    assert _distance(render(scene), render(replace(scene, seed=6))) > 3


@pytest.mark.parametrize("style", STYLES)
def test_every_subject_differs(style: str):
    assert _all_differ([render(replace(BEAR, subject=name, style=style)) for name in SUBJECTS], 2)


@pytest.mark.parametrize("style", STYLES)
def test_every_environment_differs(style: str):
    assert _all_differ(
        [render(replace(BEAR, environment=name, style=style)) for name in ENVIRONMENTS], 2
    )


@pytest.mark.parametrize("style", STYLES)
def test_every_colour_differs(style: str):
    assert _all_differ([render(replace(BEAR, colour=name, style=style)) for name in COLOURS], 1)


def test_every_style_differs():
    assert _all_differ([render(replace(BEAR, style=name)) for name in STYLES], 5)


def test_every_pose_and_accessory_differs():
    for subject, poses in POSES.items():
        scenes = [Scene(subject, "red", "beach", "cartoon", pose, seed=1) for pose in poses]
        wearing = (
            [replace(scenes[0], accessory=name) for name in ACCESSORIES]
            if (subject, poses[0]) in HEADS
            else []
        )
        assert _all_differ([render(scene) for scene in (*scenes, *wearing)], 0.2)


def test_sketches_are_grey_but_for_the_subject():
    picture = render(replace(BEAR, style="sketch", colour="red")).astype(int)
    corner = picture[:20, :20]
    assert np.abs(corner.max(axis=2) - corner.min(axis=2)).max() <= 14  # the paper's tint
    assert (picture[..., 0] - picture[..., 1]).max() > 60


def test_a_house_cannot_wear_a_hat():
    with pytest.raises(ValueError, match="cannot wear"):
        draw_subject(Scene("house", "red", "grass", "photo", accessory="hat"))


def test_random_pictures_follow_from_the_seed():
    first, second = (random_scene(np.random.default_rng(3)) for _ in range(2))
    assert first == second
    assert np.array_equal(render(first), render(second))
