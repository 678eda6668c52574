"""GroupNorm, SiLU and a convolution of the UNet, run as one where a backend does it."""

from __future__ import annotations

from typing import Any

import comfy.ops
import torch
from torch import nn

from ....taq_kernels.backends.backend import Norm
from .operations import Conv2d


class NormedConv(nn.Sequential):
    """The layers of a residual block around its activation: norm, SiLU, perhaps Dropout, Conv2d.

    They run one after the other where a LoRA or another pack needs what is between them.
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Convolve input [B, C, H, W] to [B, O, H', W']."""
        if not self._as_one(input):
            return super().forward(input)
        norm: Any = self[0]
        conv: Any = self[-1]
        context: Any = comfy.ops.CastBiasWeightContext(norm, input, offloadable=True)
        with context as (weight, bias):
            return conv.after_norm(input, Norm(weight, bias, norm.num_groups, norm.eps))

    def _as_one(self, input: torch.Tensor) -> bool:
        layers = list(self)
        if len(layers) < 3:  # a part of the block, cut out by the host
            return False
        norm, activation, *between, conv = layers
        return (
            isinstance(conv, Conv2d)
            and isinstance(norm, nn.GroupNorm)
            and isinstance(activation, nn.SiLU)
            and all(isinstance(one, nn.Dropout) and not one.training for one in between)
            and not any(_watched(layer) for layer in layers)
            and conv.takes_norm(input.device)
        )


def _watched(layer: nn.Module) -> bool:
    """Whether other code sees or changes what goes into or comes out of `layer`."""
    return bool(layer._forward_hooks or layer._forward_pre_hooks or "forward" in layer.__dict__)
