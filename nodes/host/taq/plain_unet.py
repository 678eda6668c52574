"""The host's UNet of a MODEL as an ordinary torch module, without weights."""

from __future__ import annotations

from typing import Any

import comfy.ops
import torch
from comfy.model_patcher import ModelPatcher


class _Linear(comfy.ops.disable_weight_init.Linear):
    """The host's Linear, which has its weight from the start: under dynamic VRAM the host makes
    weights while loading, except of classes that load in a way of their own.
    """

    def _load_from_state_dict(self, *args):
        torch.nn.Module._load_from_state_dict(self, *args)


class _PlainOperations(comfy.ops.disable_weight_init):
    Linear = _Linear


def copied_config(source: ModelPatcher, dtype: torch.dtype, operations: type | None) -> Any:
    """The host's configuration of the MODEL `source`, for another instance of its class with its
    own layer classes.
    """
    old = source.model.model_config
    config = object.__new__(
        type(old)
    )  # its __getattr__ answers everything, which copy.copy cannot stand
    config.__dict__.update(old.__dict__, custom_operations=operations, manual_cast_dtype=None)
    config.unet_config = {**config.unet_config, "dtype": dtype}
    return config


def plain_unet(source: ModelPatcher, device: torch.device | str) -> torch.nn.Module:
    """The UNet's class and configuration with float32 layers that nothing has filled yet, on
    `device`.
    """
    with torch.device(device):
        return (
            copied_config(source, torch.float32, _PlainOperations)
            .get_model({}, "", device=device)
            .diffusion_model
        )
