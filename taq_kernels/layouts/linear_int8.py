"""Linear weights in int8 with one scale for each output feature, in comfy-kitchen's layout."""

from __future__ import annotations

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor

from ..backends import registry
from .grid import Grid
from .layout import WeightLayout

NAME = "TensorWiseINT8Layout"


class Int8Grid(Grid):
    """w [O, I] = scale[o] * code."""

    lowest, highest = -127, 127

    def __init__(self, stored: QuantizedTensor) -> None:
        self.scale = stored.params.scale.float().reshape(-1, 1)

    def floor(self, values: Tensor) -> Tensor:
        """See `Grid`."""
        return (values / self.scale).floor().int()

    def decode(self, codes: Tensor) -> Tensor:
        """See `Grid`."""
        return codes * self.scale

    def pack(self, codes: Tensor) -> Tensor:
        """See `Grid`."""
        return codes.to(torch.int8)


class Int8LinearLayout(WeightLayout):
    """qdata int8 [O, I]; scale float32 [O, 1]."""

    name, format, bits = NAME, "int8_tensorwise", 8
    options = {"per_channel": True}
    grid = Int8Grid

    @classmethod
    def takes(cls, shape: tuple[int, ...]) -> bool:
        """Whether `shape` is that of a Linear."""
        return len(shape) == 2

    @classmethod
    def backend(
        cls, weight: QuantizedTensor, at: registry.Machine, groups: int
    ) -> registry.Backend:
        """The backend that multiplies int8 matrices."""
        p = weight.params
        rotation = p.convrot_groupsize if p.convrot else None
        return registry.linear(at, cls.bits, weight.shape[1], rotation)


LAYOUT = Int8LinearLayout
