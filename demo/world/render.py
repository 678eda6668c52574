"""Render a scene as pixels: the same scene always gives the same picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .environments import ENVIRONMENTS
from .scene import Scene, draw_subject
from .shapes import place
from .styles import PAINTERS


def render(scene: Scene) -> NDArray[np.uint8]:
    """Return a picture [128, 128, 3], RGB.

    The subject's place, size and lean follow from the scene's seed and vary little. A model that
    has seen tens of thousands of pictures, not millions, learns shapes only where they stay in
    place.
    """
    rng = np.random.default_rng(scene.seed)
    horizon = rng.uniform(0.57, 0.61)
    background = ENVIRONMENTS[scene.environment](rng, horizon)
    subject = place(
        draw_subject(scene),
        x=rng.uniform(0.48, 0.52),
        y=rng.uniform(0.91, 0.93),
        size=rng.uniform(0.7, 0.76),
        degrees=rng.uniform(-2, 2),
    )
    pixels = PAINTERS[scene.style](background, subject, rng)
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)
