"""What all backends of int8 convolutions have in common."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from .backend import Backend

CONV_MULTIPLE = 8
"""Input and output channels of an int8 convolution come in multiples of this."""


class Int8Conv(Backend):
    """Convolutions by the operator of the weight's layout, which has an implementation for each
    device.
    """

    def conv2d(self, x: Tensor, weight: Any, bias: Tensor | None, *geometry: list[int]) -> Tensor:
        """As `Backend.conv2d`."""
        return weight.layout_cls.product(x, weight, bias, *geometry)


def shape_reason(shape: tuple[int, ...], groups: int) -> str:
    """Why no int8 convolution takes a weight of `shape` [O, C, kh, kw]; "" = it is taken."""
    outputs, channels = shape[:2]
    if groups == 1 and outputs % CONV_MULTIPLE == channels % CONV_MULTIPLE == 0:
        return ""
    return f"int8 convolutions take channels in multiples of {CONV_MULTIPLE}, in one group"
