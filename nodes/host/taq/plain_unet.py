"""The host's UNet of a MODEL as an ordinary torch module, without weights."""

from __future__ import annotations

from typing import Any

import comfy.ops
import torch
from comfy.model_patcher import ModelPatcher


class _Linear(comfy.ops.disable_weight_init.Linear):
    """The host's Linear, with its weight made at once.

    Under dynamic VRAM the host makes weights only when it loads them, except for classes that
    override loading.
    """

    def _load_from_state_dict(self, *args):
        torch.nn.Module._load_from_state_dict(self, *args)


class _PlainOperations(comfy.ops.disable_weight_init):
    Linear = _Linear


def copied_config(source: ModelPatcher, dtype: torch.dtype, operations: type | None) -> Any:
    """A copy of the host's configuration of the MODEL `source`, to make another instance of its
    class with the layer classes `operations`.
    """
    old = source.model.model_config
    config = object.__new__(
        type(old)
    )  # its __getattr__ answers for every name, and copy.copy fails with that
    config.__dict__.update(old.__dict__, custom_operations=operations, manual_cast_dtype=None)
    config.unet_config = {**config.unet_config, "dtype": dtype}
    return config


def plain_unet(source: ModelPatcher, device: torch.device | str) -> torch.nn.Module:
    """A UNet of `source`'s class and configuration on `device`, with float32 weights that are not
    initialised.
    """
    with torch.device(device):
        return (
            copied_config(source, torch.float32, _PlainOperations)
            .get_model({}, "", device=device)
            .diffusion_model
        )
