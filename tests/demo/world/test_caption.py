"""Captions name what their scene shows, in varying words."""

from __future__ import annotations

import numpy as np
import pytest

from personalq.bench.world.pictures import random_scenes
from personalq.demo.world.caption import caption
from personalq.demo.world.scene import Scene

PLACES = {
    "grass": ("grass",), "snow": ("snow",), "beach": ("beach",), "forest": ("forest",),
    "city": ("city",),
    "room": ("room", "floor"), "mountains": ("mountains",), "desert": ("desert",),
    "water": ("water",), "night": ("night",),
}  # fmt: skip


@pytest.mark.parametrize("scene", random_scenes(60, 4))
def test_caption_names_everything(scene: Scene):
    text = caption(scene, np.random.default_rng(0))
    words = text.split()
    assert scene.subject in words
    assert scene.colour in words
    assert scene.style in text
    assert any(word in words for word in PLACES[scene.environment])
    assert scene.accessory is None or scene.accessory in words


def test_captions_vary():
    rng = np.random.default_rng(0)
    scene = Scene("dog", "black", "snow", "photo", "sitting")
    said = {caption(scene, rng) for _ in range(60)}
    assert len(said) > 4
    assert all("sitting" in text for text in said)
    assert "standing" not in caption(Scene("dog", "black", "snow", "photo"), rng)
