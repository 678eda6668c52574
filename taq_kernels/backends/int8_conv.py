"""Int8 convolutions as a backend, and Linear as the convolution of one tap."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import operators
from .backend import Backend, Norm
from .bounds import MAX_ELEMENTS
from .eager.conv import out_size

CONV_MULTIPLE = 8
"""Input and output channels of an int8 convolution must be multiples of this."""


class Int8Conv(Backend):
    """Convolutions through the operator of the weight's layout, which is implemented for each
    device.
    """

    def conv2d(self, x: Tensor, weight: Any, bias: Tensor | None, *geometry: list[int]) -> Tensor:
        """Like `Backend.conv2d`."""
        parts = _parts(x, weight, *geometry)
        return _joined([weight.layout_cls.product(x, weight, bias, *geometry) for x in parts])

    def normed_conv2d(
        self, x: Tensor, norm: Norm, weight: Any, bias: Tensor | None, *geometry: list[int]
    ) -> Tensor:
        """Like `Backend.normed_conv2d`."""
        taps, scale = weight.layout_cls.taps(weight), weight.params.scale
        return _joined(
            [
                operators.normed_conv2d_int8(x, *norm, taps, scale, bias, *geometry)
                for x in _parts(x, weight, *geometry)
            ]
        )

    def linear(self, x: Tensor, weight: Any, bias: Tensor | None) -> Tensor:
        """Like `Backend.linear`, for weights of 8 bits.

        Tokens are the pixels of an image that is one pixel wide; nothing is copied.
        """
        taps = weight._qdata[None, None]
        scale = weight.params.scale.reshape(-1).expand(weight.shape[0])
        tokens = x.reshape(-1, x.shape[-1])
        parts = [
            operators.conv2d_int8(
                rows.T[None, :, :, None], taps, scale, bias, [1, 1], [0, 0], [1, 1]
            )[0, :, :, 0].T
            for rows in tokens.split((MAX_ELEMENTS - 1) // max(weight.shape))
        ]
        return _joined(parts).view(*x.shape[:-1], weight.shape[0])


def _parts(x: Tensor, weight: Any, *geometry: list[int]) -> tuple[Tensor, ...]:
    """The batch x [B, C, H, W] in parts that a kernel convolves with `weight` [O, C, kh, kw]."""
    height, width = out_size(x.shape[2:], weight.shape[2:], *geometry)
    largest = max(x.shape[1:].numel(), weight.shape[0] * height * width)
    return x.split(max(1, (MAX_ELEMENTS - 1) // largest))


def _joined(parts: list[Tensor]) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def shape_reason(shape: tuple[int, ...], groups: int) -> str:
    """Why int8 convolutions do not support a weight of `shape` [O, C, kh, kw]; "" = they do."""
    outputs, channels = shape[:2]
    if groups == 1 and outputs % CONV_MULTIPLE == channels % CONV_MULTIPLE == 0:
        return ""
    return f"int8 convolutions take channels in multiples of {CONV_MULTIPLE}, in one group"
