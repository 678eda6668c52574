"""The values a stored weight can take: its codes, what they decode to, and how they are packed.

Scales, group scales and the codebook are those of the weight rounded to nearest; only the codes are
open. Each layout's own grid is in the file of the layout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor


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
