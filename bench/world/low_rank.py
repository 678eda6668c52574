"""A frozen Linear and a trainable low-rank difference on top of it (LoRA, Hu et al. 2021)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LowRank(nn.Module):
    """A frozen Linear plus up(down(x)); `up` starts at zero."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        nn.init.normal_(self.down.weight, std=base.in_features**-0.5)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.up(self.down(x))

    @torch.no_grad()
    def merged(self) -> Tensor:
        """[outputs, inputs]: the one matrix that does the same."""
        return self.base.weight + self.up.weight @ self.down.weight


def wrap_(module: nn.Module, rank: int, part: str = "") -> dict[str, LowRank]:
    """Replaces, in place, every Linear whose name contains `part` by a LowRank; returns them by name."""
    wrapped = {
        name: LowRank(layer, rank)
        for name, layer in module.named_modules()
        if isinstance(layer, nn.Linear) and part in name
    }
    for name, layer in wrapped.items():
        parent, _, last = name.rpartition(".")
        setattr(module.get_submodule(parent), last, layer)
    return wrapped
