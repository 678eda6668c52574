"""Conv2d weights in int8 with one scale for each output channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from comfy_kitchen.tensor import BaseLayoutParams, QuantizedTensor
from torch import Tensor

from ..backends.eager.int8 import round_to_int
from .conv import ConvLayout
from .linear_int8 import Int8Grid

NAME = "PersonalQInt8Conv"


class Int8ConvGrid(Int8Grid):
    """w [kh, kw, O, C] = scale[o] * code."""

    def stored_basis(self, weight: Tensor) -> Tensor:
        """See `Grid`; the order is tap by tap."""
        return as_taps(weight)

    def layer_basis(self, values: Tensor) -> Tensor:
        """See `Grid`."""
        return values.permute(2, 3, 0, 1)


class Int8ConvLayout(ConvLayout):
    """qdata int8 [kh, kw, O, C]; scale float32 [O]."""

    name, format, bits = NAME, "personalq_int8_conv", 8
    grid = Int8ConvGrid

    @dataclass(frozen=True)
    class Params(BaseLayoutParams):
        """scale [O], orig_dtype, orig_shape [O, C, kh, kw]."""

    @classmethod
    def quantize(
        cls, tensor: Tensor, stochastic_rounding: int | None = 0, **_: Any
    ) -> tuple[Tensor, Params]:
        """Quantize symmetrically: q = round(w / s), s = max |w| of the output channel / 127.

        `stochastic_rounding` is a seed (None or 0 = round to nearest). The host's `scale` and
        `inplace_ops` are accepted but not used: scales always come from the weight. Raises
        ValueError for a weight that is not 4-D.
        """
        taps = as_taps(tensor)
        largest = taps.abs().amax(dim=(0, 1, 3))
        scale = torch.where(largest == 0, 1, largest) / 127
        qdata = round_to_int(taps / scale[:, None], -127, 127, stochastic_rounding).to(torch.int8)
        return qdata, cls.Params(
            scale=scale, orig_dtype=tensor.dtype, orig_shape=tuple(tensor.shape)
        )

    @classmethod
    def int8_taps(cls, qdata: Tensor, params: Params) -> Tensor:
        """The codes, which are stored as taps already."""
        return qdata

    @classmethod
    def get_plain_tensors(cls, qtensor: QuantizedTensor) -> tuple[Tensor, ...]:
        """(qdata, scale)."""
        return qtensor._qdata, qtensor.params.scale

    @classmethod
    def state_dict_tensors(cls, qdata: Tensor, params: Params) -> dict[str, Tensor]:
        """Suffix after `.weight` in a state dict -> tensor."""
        return {"": qdata, "_scale": params.scale}


def as_taps(weight: Tensor) -> Tensor:
    """Reorder a Conv2d weight [O, C, kh, kw] to float32 [kh, kw, O, C].

    Raises ValueError for any other rank.
    """
    if weight.dim() != 4:
        raise ValueError(f"a Conv2d weight must be [O, C, kh, kw]; got shape {tuple(weight.shape)}")
    return weight.permute(2, 3, 0, 1).float().contiguous()


LAYOUT = Int8ConvLayout
