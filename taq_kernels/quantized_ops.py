"""Linear and Conv2d with a quantized weight, for each way of quantizing their input."""

from __future__ import annotations

from typing import Any

from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn
from torch.nn import functional

from .backends import registry
from .backends.backend import Norm
from .backends.eager.conv import Pair, as_pair
from .layouts import conv
from .layouts.formats import backend, layout_of
from .spec import Activations


def linear(
    x: Tensor, weight: QuantizedTensor, bias: Tensor | None, activations: Activations
) -> Tensor:
    """Multiply x [..., I] by `weight` [O, I] and add `bias` [O]: [..., O] in the dtype of x.

    Runs in int8 where `activations` are int8 with a scale for each token and a backend multiplies
    them (`formats.backend`), else in floating point with tokens rounded to the same values.
    """
    runs_on = backend(weight, 1, registry.machine(x.device), activations)
    if runs_on.name != registry.FLOAT:
        return runs_on.linear(x, weight, bias)
    tokens = layout_of(weight).simulated_input(weight, x, activations)
    return functional.linear(tokens, weight.dequantize().to(x.dtype), bias)


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
    """Convolve x [B, C, H, W] with `weight` [O, C, kh, kw]: [B, O, H', W'].

    Like `linear`, with a pixel in place of a token.
    """
    if activations.int8_rows:
        return conv.conv2d(x, weight, bias, stride, padding, dilation, groups)
    return conv.simulated_conv2d(x, weight, bias, activations, stride, padding, dilation, groups)


def takes_norm(weight: QuantizedTensor, activations: Activations, groups: int, at: Any) -> bool:
    """Whether `normed_conv2d` convolves with `weight` on the device `at`."""
    runs_on = registry.normed_conv(registry.machine(at), tuple(weight.shape), groups)
    return activations.int8_rows and runs_on.name != registry.ONE_BY_ONE


def normed_conv2d(
    x: Tensor,
    norm: Norm,
    weight: QuantizedTensor,
    bias: Tensor | None,
    stride: Pair = 1,
    padding: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:
    """Like `conv2d` of SiLU(GroupNorm(x)), where `takes_norm`; pixels have 8 bits.

    What is normed is rounded once, to 8 bits, and not to the dtype of x before.
    """
    runs_on = registry.normed_conv(registry.machine(x.device), tuple(weight.shape), groups)
    geometry = (list(as_pair(value)) for value in (stride, padding, dilation))
    return runs_on.normed_conv2d(x, norm, weight, bias, *geometry)


def padded(layer: nn.Conv2d, x: Tensor) -> tuple[Tensor, Any]:
    """Pad x [B, C, H, W] unless the layer pads with zeros; return it and the padding still to do.

    Other padding modes are for example circular padding, for seamless textures.
    """
    if layer.padding_mode == "zeros":
        return x, layer.padding
    return functional.pad(x, layer._reversed_padding_repeated_twice, mode=layer.padding_mode), 0
