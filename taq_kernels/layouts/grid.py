"""The values that a stored weight can take: its codes, their decoded values, and their packing.

Scales, group scales and the codebook are those of the weight rounded to nearest; only the codes can
be chosen. Each layout's grid is in the file of the layout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor


class Grid(ABC):
    """Codes lowest..highest of one stored weight, in the basis and order in which it is stored.

    Neighbouring codes have neighbouring values, but a larger code may have a smaller value.
    """

    lowest: int
    highest: int

    @abstractmethod
    def __init__(self, stored: QuantizedTensor) -> None:
        """Make the grid of `stored`, a weight rounded to nearest."""

    @abstractmethod
    def floor(self, values: Tensor) -> Tensor:
        """int32 codes c such that `values` lie between the values of c and c + 1.

        Outside the range they are lowest - 1 or less, or highest or more.
        """

    @abstractmethod
    def decode(self, codes: Tensor) -> Tensor:
        """The float32 values of int32 `codes`."""

    @abstractmethod
    def pack(self, codes: Tensor) -> Tensor:
        """Codes as the layout stores them (its `_qdata`)."""

    def stored_basis(self, weight: Tensor) -> Tensor:
        """The layer's weight in the basis and order in which it is stored, float32."""
        return weight.float()

    def layer_basis(self, values: Tensor) -> Tensor:
        """The inverse of `stored_basis`, which is differentiable."""
        return values
