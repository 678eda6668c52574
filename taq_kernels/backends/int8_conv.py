"""What all backends for int8 convolutions have in common."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from .backend import Backend

CONV_MULTIPLE = 8
"""Input and output channels of an int8 convolution must be multiples of this."""


class Int8Conv(Backend):
    """Convolutions through the operator of the weight's layout, which is implemented for each
    device.
    """

    def conv2d(self, x: Tensor, weight: Any, bias: Tensor | None, *geometry: list[int]) -> Tensor:
        """Like `Backend.conv2d`."""
        return weight.layout_cls.product(x, weight, bias, *geometry)


def shape_reason(shape: tuple[int, ...], groups: int) -> str:
    """Why int8 convolutions do not support a weight of `shape` [O, C, kh, kw]; "" = they do."""
    outputs, channels = shape[:2]
    if groups == 1 and outputs % CONV_MULTIPLE == channels % CONV_MULTIPLE == 0:
        return ""
    return f"int8 convolutions take channels in multiples of {CONV_MULTIPLE}, in one group"
