"""Plain torch: int8 convolutions on a CPU, and attention where no kernel can run it."""

from __future__ import annotations

from torch import Tensor

from ..backend import Answer, Backend
from ..eager.gated import gated_gelu as gated_gelu_reference
from ..int8_conv import Int8Conv, shape_reason
from ..machine import SLOW_INT8, Machine

TAPS = "int8 per kernel tap"
ONE_BY_ONE = "one after the other"
TORCH_ATTENTION = "torch in float32"

MIN_CHANNEL_PRODUCT = 256 * 256
"""Input x output channels below which a floating-point convolution is faster on a CPU."""


class TorchGelu(Backend):
    """Gated GELU by two operations of torch."""

    def gated_gelu(self, both: Tensor) -> Tensor:
        """Like `Backend.gated_gelu`."""
        return gated_gelu_reference(both)


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


def gated_gelu(*_: object) -> Backend:
    """Gated GELU by torch, on every machine."""
    return TorchGelu(ONE_BY_ONE, "")


def attention(*_: object) -> Backend:
    """Attention over decoded keys and values, on every machine."""
    return Backend(TORCH_ATTENTION, "")
