"""Exponential moving average of parameters."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Average:
    """Follows named parameters; quickly in the first updates, with the full decay later."""

    def __init__(self, parameters: dict[str, nn.Parameter], decay: float) -> None:
        self._parameters = parameters
        self._decay = decay
        self.values = {name: parameter.detach().clone() for name, parameter in parameters.items()}

    @torch.no_grad()
    def update(self, updates: int) -> None:
        keep = min(self._decay, (1 + updates) / (10 + updates))
        for name, parameter in self._parameters.items():
            self.values[name].lerp_(parameter, 1 - keep)

    def load(self, values: dict[str, Tensor]) -> None:
        for name, value in values.items():
            self.values[name].copy_(value)
