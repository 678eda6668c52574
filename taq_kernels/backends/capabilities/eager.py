"""Plain torch: int8 convolutions on a CPU, and attention where no kernel can run it."""

from __future__ import annotations

from ..backend import Answer, Backend
from ..int8_conv import Int8Conv, shape_reason
from ..machine import SLOW_INT8, Machine

TAPS = "int8 per kernel tap"
ONE_BY_ONE = "one after the other"
TORCH_ATTENTION = "torch in float32"

MIN_CHANNEL_PRODUCT = 256 * 256
"""Input x output channels below which a floating-point convolution is faster on a CPU."""


def conv(at: Machine, shape: tuple[int, ...], groups: int) -> Answer:
    """Conv2d in int8 on a CPU, for weights large enough that it is faster."""
    if at.kind != "cpu":
        return ""
    if reason := shape_reason(shape, groups):
        return reason
    if at.slow_int8:
        return SLOW_INT8
    if shape[0] * shape[1] < MIN_CHANNEL_PRODUCT:
        return "so small a convolution is faster so"
    return Int8Conv(TAPS, "one int8 product for each kernel tap")


def normed_conv(*_: object) -> Backend:
    """GroupNorm, SiLU and Conv2d each by itself, on every machine."""
    return Backend(ONE_BY_ONE, "")


def attention(*_: object) -> Backend:
    """Attention over decoded keys and values, on every machine."""
    return Backend(TORCH_ATTENTION, "")
