"""Stable Diffusion XL."""

from __future__ import annotations

from .family import ModelFamily
from .unet import UNET

FAMILY = ModelFamily(
    name="SDXL",
    host_config="SDXL",
    layers=UNET,
    context_width=2048,
    picture_size=1024,
    tokenizers={"l": "clip_l", "g": "clip_g"},
    derivatives=("SDXL-Turbo", "SSD-1B", "Segmind Vega"),
)
