"""Exponential moving average of parameters."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class EMA:
    """The exponential moving average of named parameters.

    The decay is min(`decay`, (1 + n) / (10 + n)) at update n, so that the initial values fade soon.
    """

    def __init__(self, parameters: dict[str, nn.Parameter], decay: float) -> None:
        self._parameters = parameters
        self._decay = decay
        self.values = {name: parameter.detach().clone() for name, parameter in parameters.items()}

    @torch.no_grad()
    def update(self, updates: int) -> None:
        """Move the average towards the parameters; `updates` is the number of this update."""
        keep = min(self._decay, (1 + updates) / (10 + updates))
        for name, parameter in self._parameters.items():
            self.values[name].lerp_(parameter, 1 - keep)

    def load(self, values: dict[str, Tensor]) -> None:
        """Replace the averages of these names."""
        for name, value in values.items():
            self.values[name].copy_(value)
