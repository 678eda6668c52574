"""AdaRound's relaxation (Nagel et al. 2020): each weight lies between two values of the grid, and
one of them is chosen.
"""

from __future__ import annotations

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor

from ..layouts.formats import grid
from ..quantize import quantize_weight
from ..spec import Preset

GAMMA, ZETA = -0.1, 1.1
"""The sigmoid is stretched to this range and clipped to 0..1, so that h can reach 0 and 1."""


def stretched_sigmoid(alpha: Tensor) -> Tensor:
    """Compute h = clamp(sigmoid(alpha) (ZETA - GAMMA) + GAMMA, 0, 1)."""
    return (alpha.sigmoid() * (ZETA - GAMMA) + GAMMA).clamp(0, 1)


def undecided(h: Tensor, beta: float) -> Tensor:
    """AdaRound's regulariser, a scalar: sum(1 - |2h - 1|^beta). It is 0 where every h is 0 or 1."""
    return (1 - (2 * h - 1).abs().pow(beta)).sum()


class Rounding:
    """Rounding, still to be learned, of one Linear [O, I] or Conv2d [O, C, kh, kw] weight.

    `preset` is a preset or 8 or 4 bits. `low` and `high` are the grid's two values around each
    weight, and `alpha` is the float32 variable that chooses between them; all have the shape and
    basis in which the weight is stored. Outside the grid's range, low equals high. Scales are those
    of rounding to nearest. Raises ValueError where `quantize_weight` does.
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
        """The position of each weight between low (0) and high (1)."""
        return stretched_sigmoid(self.alpha)

    def soft_weight(self) -> Tensor:
        """The weight low + h (high - low) in the layer's own shape, differentiable in alpha."""
        return self._grid.layer_basis(self.low + self.h() * (self.high - self.low))

    def hard(self) -> QuantizedTensor:
        """The quantized weight with the chosen codes: high where h >= 1/2, else low."""
        codes = torch.where(self.alpha.detach() >= 0, self._upper, self._lower)
        return self._nearest._copy_with(qdata=self._grid.pack(codes))
