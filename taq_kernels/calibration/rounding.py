"""AdaRound's relaxation (Nagel et al. 2020): each weight lies between its two neighbours on the
grid, and one is chosen.
"""

from __future__ import annotations

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor

from ..layouts.formats import grid
from ..quantize import quantize_weight
from ..spec import Preset

GAMMA, ZETA = -0.1, 1.1
"""The sigmoid is stretched beyond 0..1 and clipped, so that h reaches both ends."""


def stretched_sigmoid(alpha: Tensor) -> Tensor:
    """H = clamp(sigmoid(alpha) (ZETA - GAMMA) + GAMMA, 0, 1)."""
    return (alpha.sigmoid() * (ZETA - GAMMA) + GAMMA).clamp(0, 1)


def undecided(h: Tensor, beta: float) -> Tensor:
    """AdaRound's regulariser, a scalar: sum(1 - |2h - 1|^beta). It is 0 where every h is 0 or 1."""
    return (1 - (2 * h - 1).abs().pow(beta)).sum()


class Rounding:
    """The open rounding of one Linear [O, I] or Conv2d [O, C, kh, kw] weight in the format of
    `preset` (or of 8 or 4 bits).

    `low` and `high` are the two neighbouring values of each weight, `alpha` the float32 variable
    that chooses between them; all have the shape and basis in which the weight is stored. Outside
    the grid's range low equals high. Scales are those of rounding to nearest. Raises ValueError
    where `quantize_weight` does.
    """

    def __init__(self, weight: Tensor, preset: str | Preset | int) -> None:
        self._nearest = quantize_weight(weight, preset)
        self._grid = grid(self._nearest)
        values = self._grid.stored_basis(weight.detach())
        code = self._grid.floor(values)
        self._lower, self._upper = (
            c.clamp(self._grid.lowest, self._grid.highest) for c in (code, code + 1)
        )
        self.low, self.high = self._grid.decode(self._lower), self._grid.decode(self._upper)
        width = self.high - self.low
        h = ((values - self.low) / torch.where(width == 0, torch.ones_like(width), width)).clamp(
            0, 1
        )
        self.alpha = -torch.log((ZETA - GAMMA) / (h - GAMMA) - 1)
        self.alpha.requires_grad_()

    @property
    def nearest(self) -> QuantizedTensor:
        """The weight rounded to nearest."""
        return self._nearest

    def h(self) -> Tensor:
        """0 (low) to 1 (high), for each weight."""
        return stretched_sigmoid(self.alpha)

    def soft_weight(self) -> Tensor:
        """Low + h (high - low) as a weight of the layer, differentiable in alpha."""
        return self._grid.layer_basis(self.low + self.h() * (self.high - self.low))

    def hard(self) -> QuantizedTensor:
        """The stored weight with the chosen codes: high where h >= 1/2."""
        codes = torch.where(self.alpha.detach() >= 0, self._upper, self._lower)
        return self._nearest._copy_with(qdata=self._grid.pack(codes))
