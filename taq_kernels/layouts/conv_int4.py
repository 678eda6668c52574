"""Conv2d weights in 4 bits with two levels of scales, after QServe (Lin et al. 2024), which decode
to int8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from comfy_kitchen.tensor import BaseLayoutParams, QuantizedTensor
from torch import Tensor

from ..backends import operators
from ..backends.eager.int8 import round_to_int
from ..backends.eager.nibbles import pack_nibbles
from .conv import ConvLayout
from .conv_int8 import Int8ConvGrid, as_taps

NAME = "PersonalQInt4Conv"
GROUP_SIZE = 32
"""Input channels that share a group scale.

A weight takes 4 + 8/32 bits, and each output channel one float32 more.
"""

_LOW, _HIGH = -8, 7
_MAX_STEP = 15
"""The largest group scale: 8 * 15 = 120 still fits int8."""
_CHUNK = 2**19
"""Weights quantized at a time, so that the intermediate tensors stay in the processor's cache."""
_FEWER = (-1, 0, 1, 2)
"""What is subtracted from the group scale that spans the group, to find the best one.

A smaller group scale clips a few weights and makes the others more precise.
"""


class Int4ConvGrid(Int8ConvGrid):
    """w [kh, kw, O, C] = scale[o] * group scale * code."""

    lowest, highest = _LOW, _HIGH

    def __init__(self, stored: QuantizedTensor) -> None:
        super().__init__(stored)
        self.steps = stored.params.group_scale.int().repeat_interleave(GROUP_SIZE, -1)

    def floor(self, values: Tensor) -> Tensor:
        """See `Grid`."""
        return super().floor(values / self.steps)

    def decode(self, codes: Tensor) -> Tensor:
        """See `Grid`."""
        return super().decode(codes * self.steps)

    def pack(self, codes: Tensor) -> Tensor:
        """See `Grid`; two codes share a byte."""
        return pack_nibbles((codes - _LOW).to(torch.uint8))


class Int4ConvLayout(ConvLayout):
    """weight = scale[o] * group_scale[group] * code, with codes -8..7 and integer group scales.

    qdata is uint8 [kh, kw, O, C/2], with two codes (plus 8) in a byte; group_scale is int8
    [kh, kw, O, C/32]; scale is float32 [O].
    """

    name, format, bits = NAME, "personalq_int4_conv", 4
    grid = Int4ConvGrid

    @dataclass(frozen=True)
    class Params(BaseLayoutParams):
        """scale [O], orig_dtype, orig_shape [O, C, kh, kw], group_scale int8 [kh, kw, O, C/32]."""

        group_scale: Tensor

        def _tensor_fields(self) -> list[str]:
            return ["scale", "group_scale"]

    @classmethod
    def takes(cls, shape: tuple[int, ...]) -> bool:
        """Whether `shape` is that of a Conv2d with a multiple of GROUP_SIZE input channels."""
        return super().takes(shape) and shape[1] % GROUP_SIZE == 0

    @classmethod
    def quantize(
        cls, tensor: Tensor, stochastic_rounding: int | None = 0, **_: Any
    ) -> tuple[Tensor, Params]:
        """Choose group scales with the least squared error, then each output channel's scale by
        least squares.

        `stochastic_rounding` is a seed (None or 0 = round to nearest, and only then the least
        squares). The host's `scale` and `inplace_ops` are accepted but not used. Raises ValueError
        for a weight that is not 4-D or whose input channels are not a multiple of 32.
        """
        if tensor.dim() == 4 and tensor.shape[1] % GROUP_SIZE:
            raise ValueError(
                f"4-bit Conv2d needs input channels in multiples of {GROUP_SIZE}; got "
                f"{tensor.shape[1]} (quantize this layer to 8 bits, or keep it)"
            )
        step = max(1, _CHUNK * tensor.shape[0] // tensor.numel())
        chunks = [
            _quantize_channels(as_taps(part), stochastic_rounding and stochastic_rounding + number)
            for number, part in enumerate(tensor.split(step))
        ]
        codes, group_scales, scales = zip(*chunks, strict=True)
        params = cls.Params(
            scale=torch.cat(scales),
            orig_dtype=tensor.dtype,
            orig_shape=tuple(tensor.shape),
            group_scale=torch.cat(group_scales, dim=2),
        )
        return torch.cat(codes, dim=2), params

    @classmethod
    def int8_taps(cls, qdata: Tensor, params: Params) -> Tensor:
        """Group scale times code, for each weight."""
        return operators.int4_taps(qdata, params.group_scale)

    @classmethod
    def taps(cls, weight: QuantizedTensor) -> Tensor:
        """See `ConvLayout`; decoded once a product."""
        return operators.decoded_taps(weight._qdata, weight.params.group_scale)

    @classmethod
    def get_plain_tensors(cls, qtensor: QuantizedTensor) -> tuple[Tensor, ...]:
        """(qdata, scale, group_scale)."""
        return qtensor._qdata, qtensor.params.scale, qtensor.params.group_scale

    @classmethod
    def state_dict_tensors(cls, qdata: Tensor, params: Params) -> dict[str, Tensor]:
        """Suffix after `.weight` in a state dict -> tensor."""
        return {"": qdata, "_scale": params.scale, "_group_scale": params.group_scale}


def _quantize_channels(taps: Tensor, seed: int | None) -> tuple[Tensor, Tensor, Tensor]:
    """Codes, group scales and scales of some output channels [kh, kw, o, C].

    Each output channel is quantized independently of the others.
    """
    groups = taps.unflatten(-1, (-1, GROUP_SIZE))
    scale = _channel_scale(groups)
    groups = groups / scale[:, None, None]
    steps = _group_steps(groups)
    codes = round_to_int(groups / steps, _LOW, _HIGH, seed)
    if not seed:
        scale = scale * _least_squares_factor(groups, codes * steps)
    return (
        pack_nibbles((codes - _LOW).to(torch.uint8).flatten(-2)),
        steps.squeeze(-1).to(torch.int8),
        scale,
    )


def _channel_scale(groups: Tensor) -> Tensor:
    """Scales [O] such that each output channel's largest group has the largest group scale."""
    largest = groups.abs().amax(dim=(0, 1, 3, 4))
    return torch.where(largest == 0, 1, largest) / (-_LOW * _MAX_STEP)


def _group_steps(groups: Tensor) -> Tensor:
    """Integer group scales [kh, kw, O, groups, 1] with the least squared error.

    Codes reach from -8 to 7, one further on the negative side. The sign of a group scale is chosen
    so that the group's larger side, positive or negative, gets the negative codes.
    """
    low, high = groups.amin(-1, keepdim=True), groups.amax(-1, keepdim=True)
    sign = torch.where(-low >= high, 1.0, -1.0)
    spanning = (torch.maximum(-low, high) / -_LOW).round()
    best, least = sign, torch.full_like(sign, torch.inf)
    for fewer in _FEWER:
        steps = (spanning - fewer).clamp_(1, _MAX_STEP) * sign
        decoded = (groups / steps).round_().clamp_(_LOW, _HIGH).mul_(steps)
        error = decoded.sub_(groups).square_().sum(-1, keepdim=True)
        best, least = torch.where(error < least, steps, best), torch.minimum(error, least)
    return best


def _least_squares_factor(groups: Tensor, decoded: Tensor) -> Tensor:
    """Factors f [O] that minimise |groups - f decoded|^2 in each output channel."""
    over = (0, 1, 3, 4)
    power = decoded.square().sum(over)
    return torch.where(power > 0, (groups * decoded).sum(over) / power, torch.ones_like(power))


LAYOUT = Int4ConvLayout
