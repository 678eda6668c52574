"""The values a stored weight can take: its codes, what they decode to, and how they are packed.

Scales, group scales and the codebook are those of the weight rounded to nearest; only the codes are
open.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor

from ..backends.eager.nibbles import pack_nibbles
from ..layouts import conv_int4, conv_int8
from ..layouts.conv_int8 import as_taps
from ..layouts.formats import INT4_LINEAR, INT8_LINEAR


class Grid(ABC):
    """Codes lowest..highest of one stored weight, in the basis and order in which it is stored.

    Neighbouring codes are neighbouring values; a greater code may be a smaller value.
    """

    lowest: int
    highest: int

    @abstractmethod
    def __init__(self, stored: QuantizedTensor) -> None:
        """From the weight rounded to nearest."""

    @abstractmethod
    def floor(self, values: Tensor) -> Tensor:
        """int32: the code c with `values` between c and c + 1; lowest - 1 or less, highest or more
        where outside.
        """

    @abstractmethod
    def decode(self, codes: Tensor) -> Tensor:
        """float32 values of int32 `codes`."""

    @abstractmethod
    def pack(self, codes: Tensor) -> Tensor:
        """Codes as the layout stores them (its `_qdata`)."""

    def stored_basis(self, weight: Tensor) -> Tensor:
        """The layer's weight in the basis and order in which it is stored, float32."""
        return weight.float()

    def layer_basis(self, values: Tensor) -> Tensor:
        """The inverse of `stored_basis`; differentiable."""
        return values


class Int8Linear(Grid):
    """w [O, I] = scale[o] * code."""

    lowest, highest = -127, 127

    def __init__(self, stored: QuantizedTensor) -> None:
        self.scale = stored.params.scale.float().reshape(-1, 1)

    def floor(self, values: Tensor) -> Tensor:
        return (values / self.scale).floor().int()

    def decode(self, codes: Tensor) -> Tensor:
        return codes * self.scale

    def pack(self, codes: Tensor) -> Tensor:
        return codes.to(torch.int8)


class Int4Linear(Grid):
    """w [O, I] rotated = scale[o] * round(group scale * codebook[code]), in groups of neighbouring
    input features.

    The rotation is that of ConvRot: a regular Hadamard matrix on each run of `convrot_groupsize`
    input features. It is symmetric and orthogonal, so it is its own inverse.
    """

    lowest, highest = 0, 15

    def __init__(self, stored: QuantizedTensor) -> None:
        params = stored.params
        levels = params.codebook.float() * params.scale.float()[..., None]
        self.levels = levels.round().clamp(-127, 127)
        self.scale = params.s_channel.float().reshape(-1, 1)
        self.rotation = regular_hadamard(params.convrot_groupsize, self.scale.device)

    def floor(self, values: Tensor) -> Tensor:
        grouped = (values / self.scale).unflatten(-1, (self.levels.shape[1], -1)).contiguous()
        return (torch.searchsorted(self.levels, grouped, right=True) - 1).flatten(-2).int()

    def decode(self, codes: Tensor) -> Tensor:
        grouped = codes.unflatten(-1, (self.levels.shape[1], -1)).long()
        return self.levels.gather(-1, grouped).flatten(-2) * self.scale

    def pack(self, codes: Tensor) -> Tensor:
        return (codes[:, 0::2] | (codes[:, 1::2] << 4)).to(torch.uint8).view(torch.int8)

    def stored_basis(self, weight: Tensor) -> Tensor:
        return (weight.float().unflatten(-1, (-1, len(self.rotation))) @ self.rotation).flatten(-2)

    def layer_basis(self, values: Tensor) -> Tensor:
        return self.stored_basis(values)


class Int8Conv(Int8Linear):
    """w [kh, kw, O, C] = scale[o] * code."""

    def stored_basis(self, weight: Tensor) -> Tensor:
        return as_taps(weight)

    def layer_basis(self, values: Tensor) -> Tensor:
        return values.permute(2, 3, 0, 1)


class Int4Conv(Int8Conv):
    """w [kh, kw, O, C] = scale[o] * group scale * code."""

    lowest, highest = -8, 7

    def __init__(self, stored: QuantizedTensor) -> None:
        super().__init__(stored)
        self.steps = stored.params.group_scale.int().repeat_interleave(conv_int4.GROUP_SIZE, -1)

    def floor(self, values: Tensor) -> Tensor:
        return super().floor(values / self.steps)

    def decode(self, codes: Tensor) -> Tensor:
        return super().decode(codes * self.steps)

    def pack(self, codes: Tensor) -> Tensor:
        return pack_nibbles((codes - self.lowest).to(torch.uint8))


_GRIDS: dict[str, type[Grid]] = {
    INT8_LINEAR: Int8Linear,
    INT4_LINEAR: Int4Linear,
    conv_int8.NAME: Int8Conv,
    conv_int4.NAME: Int4Conv,
}


def grid(stored: QuantizedTensor) -> Grid:
    """The grid of a stored weight.

    Raises ValueError for a layout whose rounding cannot be chosen.
    """
    if stored._layout_cls not in _GRIDS:
        raise ValueError(
            f"the rounding of {stored._layout_cls} weights cannot be calibrated; "
            f"{', '.join(_GRIDS)} can"
        )
    return _GRIDS[stored._layout_cls](stored)


def regular_hadamard(size: int, device: torch.device | str = "cpu") -> Tensor:
    """Orthogonal [size, size], size a power of 4: Kronecker powers of the 4 x 4 matrix whose rows
    all sum to 2.
    """
    four = torch.ones(4, 4, device=device) - 2 * torch.eye(4, device=device).flip(0)
    matrix = four
    while len(matrix) < size:
        matrix = torch.kron(matrix, four)
    return matrix / size**0.5
