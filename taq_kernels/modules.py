"""Linear and Conv2d layers with a quantized weight, for any torch module."""

from __future__ import annotations

from typing import Any

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from . import quantized_ops
from .spec import Activations


class QuantizedLinear(nn.Linear):
    """A Linear with a quantized weight: x [..., I] -> [..., O]."""

    weight: Any
    activations: Activations

    def forward(self, x: Tensor) -> Tensor:
        """Compute the layer; the result has the dtype of `x`."""
        return quantized_ops.linear(x, self.weight, self.bias, self.activations)


class QuantizedConv2d(nn.Conv2d):
    """A Conv2d with a quantized weight: x [B, C, H, W] -> [B, O, H', W']."""

    weight: Any
    activations: Activations

    def forward(self, x: Tensor) -> Tensor:
        """Compute the layer; the result has the dtype of `x`."""
        x, padding = quantized_ops.padded(self, x)
        geometry: Any = self.stride, padding, self.dilation, self.groups
        return quantized_ops.conv2d(x, self.weight, self.bias, self.activations, *geometry)


def set_weight(
    module: nn.Module, name: str, weight: QuantizedTensor, activations: Activations
) -> None:
    """Replace the Linear or Conv2d called `name` by a quantized layer.

    Raises AttributeError if there is no such layer.
    """
    parent, _, last = name.rpartition(".")
    setattr(
        module.get_submodule(parent),
        last,
        quantized_layer(module.get_submodule(name), weight, activations),
    )


def quantized_layer(
    layer: nn.Module, weight: QuantizedTensor, activations: Activations
) -> nn.Module:
    """A layer that computes the same as the Linear or Conv2d `layer`, but with `weight`."""
    made: Any
    with torch.device("meta"):
        if weight.dim() == 4:
            old: Any = layer
            shape = (
                old.in_channels,
                old.out_channels,
                old.kernel_size,
                old.stride,
                old.padding,
                old.dilation,
                old.groups,
            )
            made = QuantizedConv2d(*shape, padding_mode=old.padding_mode)
        else:
            made = QuantizedLinear(weight.shape[1], weight.shape[0])
    made.weight, made.bias = nn.Parameter(weight, requires_grad=False), layer.bias
    made.activations = activations
    return made.train(layer.training)
