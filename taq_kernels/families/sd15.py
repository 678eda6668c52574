"""Stable Diffusion 1.5."""

from __future__ import annotations

from .family import ModelFamily
from .unet import UNET

FAMILY = ModelFamily(
    name="SD 1.5 and its fine-tunes",
    host_config="SD15",
    layers=UNET,
    context_width=768,
    picture_size=512,
    tokenizers={"l": "clip_l"},
)
