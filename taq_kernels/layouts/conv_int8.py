"""Conv2d weights in int8 with one scale for each output channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from comfy_kitchen.tensor import BaseLayoutParams, QuantizedTensor
from torch import Tensor

from ..backends import operators
from ..backends.eager.int8 import round_to_int
from .conv import ConvLayout, register

NAME = "PersonalQInt8Conv"


class Int8ConvLayout(ConvLayout):
    """qdata int8 [kh, kw, O, C]; scale float32 [O]."""

    @dataclass(frozen=True)
    class Params(BaseLayoutParams):
        """scale [O], orig_dtype, orig_shape [O, C, kh, kw]."""

    @classmethod
    def quantize(
        cls, tensor: Tensor, stochastic_rounding: int | None = 0, **_: Any
    ) -> tuple[Tensor, Params]:
        """Symmetric: q = round(w / s), s = max |w| of the output channel / 127.

        `stochastic_rounding` is a seed (None or 0 = nearest). The host's `scale` and `inplace_ops`
        are accepted and not used: scales always come from the weight. Raises ValueError for a
        weight that is not 4-D.
        """
        taps = as_taps(tensor)
        largest = taps.abs().amax(dim=(0, 1, 3))
        scale = torch.where(largest > 0, largest, torch.ones_like(largest)) / 127
        qdata = round_to_int(taps / scale[:, None], -127, 127, stochastic_rounding).to(torch.int8)
        return qdata, cls.Params(
            scale=scale, orig_dtype=tensor.dtype, orig_shape=tuple(tensor.shape)
        )

    @classmethod
    def int8_taps(cls, qdata: Tensor, params: Params) -> Tensor:
        return qdata

    @classmethod
    def product(
        cls, x: Tensor, qdata: Tensor, params: Params, bias: Tensor | None, *geometry: list[int]
    ) -> Tensor:
        return operators.conv2d_int8(x, qdata, params.scale, bias, *geometry)

    @classmethod
    def get_plain_tensors(cls, qtensor: QuantizedTensor) -> tuple[Tensor, ...]:
        return qtensor._qdata, qtensor.params.scale

    @classmethod
    def state_dict_tensors(cls, qdata: Tensor, params: Params) -> dict[str, Tensor]:
        return {"": qdata, "_scale": params.scale}


def as_taps(weight: Tensor) -> Tensor:
    """A Conv2d weight [O, C, kh, kw] as float32 [kh, kw, O, C]. Raises ValueError for any other
    rank.
    """
    if weight.dim() != 4:
        raise ValueError(f"a Conv2d weight must be [O, C, kh, kw]; got shape {tuple(weight.shape)}")
    return weight.permute(2, 3, 0, 1).float().contiguous()


register(NAME, Int8ConvLayout)
