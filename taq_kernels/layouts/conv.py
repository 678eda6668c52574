"""What the layouts of Conv2d weights have in common, and the convolution with such weights."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import torch
from comfy_kitchen.tensor import (
    QuantizedLayout,
    QuantizedTensor,
    register_layout_op,
)
from comfy_kitchen.tensor.base import dequantize_args
from torch import Tensor
from torch.nn import functional

from ..activations import simulated
from ..backends import operators, registry
from ..backends.eager.conv import Pair, as_pair
from ..spec import Activations
from .layout import WeightLayout


class ConvLayout(WeightLayout, QuantizedLayout):
    """A Conv2d weight that decodes to int8 with one scale for each output channel, so that products
    can run in int8.

    It is stored tap by tap, [kh, kw, O, ...], the order in which the products read it.
    """

    @classmethod
    @abstractmethod
    def int8_taps(cls, qdata: Tensor, params: Any) -> Tensor:
        """The int8 codes [kh, kw, O, C]; multiplied by `params.scale` [O] they are the weight."""

    @classmethod
    def taps(cls, weight: QuantizedTensor) -> Tensor:
        """`int8_taps` for one product, by our operators."""
        return weight._qdata

    @classmethod
    def product(
        cls, x: Tensor, weight: QuantizedTensor, bias: Tensor | None, *geometry: list[int]
    ) -> Tensor:
        """The int8 convolution of x [B, C, H, W] by our operators: [B, O, H', W'].

        `geometry` is stride, padding and dilation, each (y, x).
        """
        return operators.conv2d_int8(x, cls.taps(weight), weight.params.scale, bias, *geometry)

    @classmethod
    def takes(cls, shape: tuple[int, ...]) -> bool:
        """Whether `shape` is that of a Conv2d."""
        return len(shape) == 4

    @classmethod
    def backend(
        cls, weight: QuantizedTensor, at: registry.Machine, groups: int
    ) -> registry.Backend:
        """The backend that convolves in int8."""
        return registry.conv(at, tuple(weight.shape), groups)

    @classmethod
    def dequantize(cls, qdata: Tensor, params: Any) -> Tensor:
        """The weight [O, C, kh, kw] in its original dtype."""
        taps = cls.int8_taps(qdata, params).float() * params.scale[:, None]
        return taps.permute(2, 3, 0, 1).to(params.orig_dtype).contiguous()


def conv2d(
    x: Tensor,
    weight: QuantizedTensor,
    bias: Tensor | None = None,
    stride: Pair = 1,
    padding: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:
    """Compute conv2d of x [B, C, H, W] with a weight in a `ConvLayout`.

    The layout's `backend` decides between products in int8 and, of the same values, in floating
    point.
    """
    runs_on = weight.layout_cls.backend(weight, registry.machine(x.device), groups)
    if runs_on.name == registry.FLOAT:
        return simulated_conv2d(x, weight, bias, Activations(), stride, padding, dilation, groups)
    geometry = (list(as_pair(value)) for value in (stride, padding, dilation))
    return runs_on.conv2d(x, weight, bias, *geometry)


def simulated_conv2d(
    x: Tensor,
    weight: QuantizedTensor,
    bias: Tensor | None,
    activations: Activations,
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    groups: int,
) -> Tensor:
    """Compute conv2d of x [B, C, H, W] in floating point, with values rounded to the bits of
    `activations`.
    """
    pixels = simulated(x, activations, rows=1)
    return functional.conv2d(
        pixels, weight.dequantize().to(x.dtype), bias, stride, padding, dilation, groups
    )


def _handle_convolution(_: Any, args: tuple, kwargs: dict) -> Tensor:
    """Handle aten.convolution(x, weight, bias, stride, padding, dilation, transposed,
    output_padding, groups).
    """
    x, weight, bias, stride, padding, dilation, transposed, _, groups = args
    if transposed or isinstance(x, QuantizedTensor):
        return torch.ops.aten.convolution.default(*dequantize_args(args), **kwargs)
    return conv2d(x, weight, bias, stride, padding, dilation, groups)


def _handle_conv2d(_: Any, args: tuple, kwargs: dict) -> Tensor:
    """Handle aten.conv2d(x, weight, bias, stride, padding, dilation, groups).

    Inference mode does not decompose it into aten.convolution.
    """
    if isinstance(args[0], QuantizedTensor):
        return torch.ops.aten.conv2d.default(*dequantize_args(args), **kwargs)
    return conv2d(*args, **kwargs)


register_layout_op(torch.ops.aten.convolution.default, ConvLayout)(_handle_convolution)
register_layout_op(torch.ops.aten.conv2d.default, ConvLayout)(_handle_conv2d)
