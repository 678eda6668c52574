"""Decides which patches of a model run as bypass branches and which are merged into its weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import comfy.utils
import torch
from comfy.model_patcher import ModelPatcher
from comfy.weight_adapter import LoHaAdapter, LoKrAdapter, LoRAAdapter

from ....taq_kernels.families import layer_bits
from ..models.patch_bytes import Patches

PREFIX = "diffusion_model."
"""Prefix of the names of the UNet's weights in the host's model."""

_DORA = {LoRAAdapter: 4, LoHaAdapter: 7, LoKrAdapter: 8}
"""Index of the DoRA magnitude in an adapter's weights.

It scales the sum of base and difference, which a branch cannot compute.
"""


def can_bypass(patches: Iterable[tuple]) -> bool:
    """Whether all `patches` of a weight only add to it, in a way that the host can compute as
    bypass branches.
    """
    return all(
        type(adapter) in _DORA
        and adapter.weights[_DORA[type(adapter)]] is None
        and not (
            isinstance(adapter, LoRAAdapter)
            and (adapter.weights[3] is not None or adapter.weights[5])
        )
        and (model, offset, function) == (1.0, None, None)
        for _, adapter, model, offset, function in patches
    )


def is_bypass(model: torch.nn.Module, key: str, patches: Iterable[tuple]) -> bool:
    """Whether the patches of the weight called `key` bypass it in `model`.

    They do in layers that have branches, if `can_bypass` is true. Layers of the text take patches
    of any kind, and add them to their weight and bias when they run.
    """
    name, _, kind = key.rpartition(".")
    layer = comfy.utils.get_attr(model, name)
    if is_offloaded(layer):
        return True
    return kind == "weight" and hasattr(layer, "branches") and can_bypass(patches)


def is_offloaded(layer: Any) -> bool:
    """Whether `layer` stays in main memory while sampling (`operations.Offloaded`)."""
    return getattr(layer, "offloaded", False)


def merged_patches(source: ModelPatcher) -> Patches:
    """The patches of `source` that are merged into quantized weights, because they cannot bypass
    them.
    """
    return {
        key: patches
        for key, patches in source.patches.items()
        if key.startswith(PREFIX)
        and key.endswith(".weight")
        and not can_bypass(patches)
        and layer_bits(key.removeprefix(PREFIX).removesuffix(".weight"), 8, {})
    }
