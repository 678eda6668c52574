"""Counts the multiply-accumulates of a real forward pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from .families import CLIP_TOKENS
from .layouts.formats import layer_weight


@dataclass(frozen=True)
class Macs:
    """Multiply-accumulates of one call of a UNet."""

    layers: Mapping[str, int]
    """Layer name -> multiply-accumulates with its weight (`count_macs`)."""
    self_attention: int = 0
    """Multiply-accumulates of Q K^T and A V together."""
    cross_attention: int = 0
    text_tokens: int = CLIP_TOKENS
    """The number of tokens that `cross_attention` was counted with."""


def count_macs(module: nn.Module, *args: Any, **kwargs: Any) -> dict[str, int]:
    """Run `module(*args, **kwargs)` and return the multiply-accumulates of each Linear and Conv2d.

    The keys are names of layers; layers that did not run are absent, and a layer that runs twice
    counts twice. The products inside attention (Q K^T and A V) have no weights and are not counted.
    """
    macs: dict[str, int] = {}
    hooks = []
    for name, layer in module.named_modules():
        weight = layer_weight(layer)
        if weight is not None:
            hooks.append(layer.register_forward_hook(partial(_count, macs, name, weight.shape)))
    try:
        with torch.no_grad():
            module(*args, **kwargs)
    finally:
        for hook in hooks:
            hook.remove()
    return macs


def _count(
    macs: dict[str, int], name: str, shape: torch.Size, _: nn.Module, __: Any, output: Tensor
) -> None:
    """Add one call of a layer: an output value takes one product for each weight of its channel."""
    macs[name] = macs.get(name, 0) + output.numel() * (shape.numel() // shape[0])
