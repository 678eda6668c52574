"""The host's UNet of a MODEL as an ordinary torch module, without weights."""

from __future__ import annotations

import torch
from comfy.model_patcher import ModelPatcher


def plain_unet(source: ModelPatcher, device: torch.device | str) -> torch.nn.Module:
    """The UNet's class and configuration with float32 layers that nothing has filled yet, on `device`."""
    old = source.model.model_config
    config = object.__new__(type(old))  # its __getattr__ answers everything, which copy.copy cannot stand
    config.__dict__.update(old.__dict__, custom_operations=None, manual_cast_dtype=None)
    config.unet_config = {**config.unet_config, "dtype": torch.float32}
    with torch.device(device):
        return config.get_model({}, "", device=device).diffusion_model
