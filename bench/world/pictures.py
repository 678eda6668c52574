"""Render many pictures at once, in several processes."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ...demo.world.render import render
from ...demo.world.scene import Scene, random_scene


def random_scenes(count: int, seed: int) -> list[Scene]:
    """Return `count` scenes; the same seed gives the same ones."""
    rng = np.random.default_rng(seed)
    return [random_scene(rng) for _ in range(count)]


def pictures(scenes: list[Scene], processes: int = 2) -> NDArray[np.uint8]:
    """Render the scenes as [n, 128, 128, 3]."""
    with ProcessPoolExecutor(processes) as pool:
        return np.stack(list(pool.map(render, scenes, chunksize=64)))


def random_pictures(
    count: int, seed: int, processes: int = 2
) -> tuple[NDArray[np.uint8], list[Scene]]:
    """Return rendered random scenes [n, 128, 128, 3], and the scenes."""
    scenes = random_scenes(count, seed)
    return pictures(scenes, processes), scenes
