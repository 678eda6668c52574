"""Linear weights in 4 bits that decode to int8, in comfy-kitchen's layout with a codebook.

Of comfy-kitchen's 4-bit layouts with 8-bit products, this one with groups of 16 has the least
error.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor

from ..activations import simulated
from ..backends import registry
from ..spec import Activations
from . import linear_int8
from .grid import Grid
from .layout import WeightLayout

NAME = "AsymW4A8Int8Layout"


class Int4Grid(Grid):
    """Rotated w [O, I] = scale[o] * round(group scale * codebook[code]).

    A group scale is for neighbouring input features. The rotation is ConvRot's: a regular Hadamard
    matrix for each `convrot_groupsize` neighbouring input features. It is symmetric and orthogonal,
    so it is its own inverse.
    """

    lowest, highest = 0, 15

    def __init__(self, stored: QuantizedTensor) -> None:
        params = stored.params
        levels = params.codebook.float() * params.scale.float()[..., None]
        self.levels = levels.round().clamp(-127, 127)
        self.scale = params.s_channel.float().reshape(-1, 1)
        self.group = params.convrot_groupsize

    def floor(self, values: Tensor) -> Tensor:
        """See `Grid`."""
        grouped = (values / self.scale).unflatten(-1, (self.levels.shape[1], -1)).contiguous()
        return (torch.searchsorted(self.levels, grouped, right=True) - 1).flatten(-2).int()

    def decode(self, codes: Tensor) -> Tensor:
        """See `Grid`."""
        grouped = codes.unflatten(-1, (self.levels.shape[1], -1)).long()
        return self.levels.gather(-1, grouped).flatten(-2) * self.scale

    def pack(self, codes: Tensor) -> Tensor:
        """See `Grid`; neighbouring codes share a byte."""
        return (codes[:, 0::2] | (codes[:, 1::2] << 4)).to(torch.uint8).view(torch.int8)

    def stored_basis(self, weight: Tensor) -> Tensor:
        """See `Grid`; the weight is rotated."""
        return _rotate(weight.float(), self.group)

    def layer_basis(self, values: Tensor) -> Tensor:
        """See `Grid`."""
        return self.stored_basis(values)


class Int4LinearLayout(WeightLayout):
    """qdata int8 [O, I/2], two codes in a byte; scale float8 [O, I/16]; s_channel float32 [O];
    codebook [16].
    """

    name, format, bits = NAME, "asym_w4a8_int8", 4
    options = {"group_size": 16, "convrot_groupsize": registry.ROTATION}
    settings = ("group_size", "convrot_groupsize")
    renamed = {"_s_rel": "scale"}
    grid = Int4Grid

    @classmethod
    def takes(cls, shape: tuple[int, ...]) -> bool:
        """Whether `shape` is that of a Linear whose width comfy-kitchen's kernels can rotate.

        They cannot rotate 320 and 640.
        """
        return len(shape) == 2 and registry.rotates(shape[1])

    @classmethod
    def backend(
        cls, weight: QuantizedTensor, at: registry.Machine, groups: int
    ) -> registry.Backend:
        """The backend that decodes and rotates the weight."""
        return registry.linear(at, cls.bits, weight.shape[1], weight.params.convrot_groupsize)

    @classmethod
    def simulated_input(
        cls, weight: QuantizedTensor, x: Tensor, activations: Activations
    ) -> Tensor:
        """Like `WeightLayout.simulated_input`: tokens are rounded rotated, as the weight is."""
        if activations.bits is None:
            return x
        rotated = simulated(_rotate(x.float(), weight.params.convrot_groupsize), activations)
        return _rotate(rotated, weight.params.convrot_groupsize).to(x.dtype)

    @classmethod
    def portable(
        cls, tensors: Mapping[str, Tensor], settings: Mapping[str, Any], device: torch.device
    ) -> QuantizedTensor | None:
        """Replace weights that `device` cannot run.

        Earlier versions rotated weights in groups that CUDA kernels do not support; these become
        8-bit weights with the same values. Apple's GPUs have no 8-bit floats, so there the group
        scales become float32.
        """
        shape = len(tensors[""]), 2 * tensors[""].shape[1]
        if settings["convrot_groupsize"] != registry.ROTATION:
            values = cls.load(tensors, torch.float32, shape, settings).dequantize()
            return QuantizedTensor.from_float(
                values, linear_int8.NAME, **linear_int8.LAYOUT.options
            )
        if device.type != "mps":
            return None
        wider = {**tensors, "_s_rel": tensors["_s_rel"].float()}
        return cls.load(wider, torch.float32, shape, settings)


def _rotate(x: Tensor, group: int) -> Tensor:
    """X [..., I] with each `group` of neighbouring features rotated; its own inverse."""
    hadamard = _hadamard(group, x.device)
    return (x.unflatten(-1, (-1, group)) @ hadamard).flatten(-2)


@cache
def _hadamard(size: int, device: torch.device) -> Tensor:
    with torch.inference_mode(False):
        return regular_hadamard(size, device)


def regular_hadamard(size: int, device: torch.device | str = "cpu") -> Tensor:
    """An orthogonal matrix [size, size], where size is a power of 4.

    It is a Kronecker power of the 4 x 4 Hadamard matrix whose rows all sum to 2.
    """
    four = torch.ones(4, 4, device=device) - 2 * torch.eye(4, device=device).flip(0)
    matrix = four
    while len(matrix) < size:
        matrix = torch.kron(matrix, four)
    return matrix / size**0.5


LAYOUT = Int4LinearLayout
