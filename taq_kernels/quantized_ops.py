"""Products of a layer's input with its quantized weight, for each way of treating the input."""

from __future__ import annotations

from typing import Any

from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn
from torch.nn import functional

from .backends import registry
from .backends.eager.conv import Pair
from .layouts import conv
from .layouts.formats import backend, layout_of
from .quantizers.rows import uniform_quantize_dequantize
from .spec import Activations


def linear(
    x: Tensor, weight: QuantizedTensor, bias: Tensor | None, activations: Activations
) -> Tensor:
    """X [..., I] times `weight` [O, I]. Each token is a row.

    In int8 where `activations` are int8 rows and the device multiplies them (`formats.backend`),
    else in floating point; activations of other kinds on values of their stated bits.
    """
    if backend(weight, 1, registry.machine(x.device), activations).name == registry.FLOAT:
        rows = x if activations.int8_rows else _quantized(x, activations)
        return functional.linear(rows, weight.dequantize().to(x.dtype), bias)
    return layout_of(weight).product(x, weight, bias)


def conv2d(
    x: Tensor,
    weight: QuantizedTensor,
    bias: Tensor | None,
    activations: Activations,
    stride: Pair = 1,
    padding: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:
    """As `linear` for a convolution of x [B, C, H, W]. Each pixel is a row."""
    if activations.int8_rows:
        return conv.conv2d(x, weight, bias, stride, padding, dilation, groups)
    pixels = _quantized(x.movedim(1, -1), activations).movedim(-1, 1)
    return functional.conv2d(
        pixels, weight.dequantize().to(x.dtype), bias, stride, padding, dilation, groups
    )


def padded(layer: nn.Conv2d, x: Tensor) -> tuple[Tensor, Any]:
    """X padded as a convolution that is not padded with zeros wants it (circular: seamless
    textures), and what is left to pad with zeros.
    """
    if layer.padding_mode == "zeros":
        return x, layer.padding
    return functional.pad(x, layer._reversed_padding_repeated_twice, mode=layer.padding_mode), 0


def _quantized(rows: Tensor, activations: Activations) -> Tensor:
    if activations.bits is None:
        return rows
    return uniform_quantize_dequantize(rows.contiguous(), activations.bits, activations.per_tensor)
