"""Plain torch: int8 convolutions on a CPU, and attention wherever no kernel runs it."""

from __future__ import annotations

from ..backend import Answer, Backend
from ..int8_conv import Int8Conv, shape_reason
from ..machine import Machine

TAPS = "int8 per kernel tap"
TORCH_ATTENTION = "torch in float32"

MIN_CHANNEL_PRODUCT = 256 * 256
"""Below this many input x output channels the float convolution is the faster one on a CPU."""


def conv(at: Machine, shape: tuple[int, ...], groups: int) -> Answer:
    """Conv2d on a CPU, where its products are large enough to be faster."""
    if at.kind != "cpu":
        return ""
    if reason := shape_reason(shape, groups):
        return reason
    if shape[0] * shape[1] < MIN_CHANNEL_PRODUCT:
        return "so small a convolution is faster so"
    return Int8Conv(TAPS, "one int8 product for each kernel tap")


def attention(*_: object) -> Backend:
    """Attention on every machine, over decoded keys and values."""
    return Backend(TORCH_ATTENTION, "")
