"""Preview pictures of the demo models, drawn like the pictures that they were trained on."""

from __future__ import annotations

import zlib

import numpy as np
from PIL import Image

from .catalogue import DemoModel
from .world.render import render
from .world.scene import personal_scene

SIDE = 256


def draw(model: DemoModel) -> Image.Image:
    """Return the 256x256 RGB picture of a model; always the same for the same model."""
    rng = np.random.default_rng(zlib.crc32(model.path.encode()))
    pixels = render(personal_scene(model.identity, rng))
    return Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.NEAREST)
