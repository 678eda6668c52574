"""A frozen layer and a trainable low-rank difference on top of it (LoRA, Hu et al. 2021)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LowRank(nn.Module):
    """A frozen Linear or Conv2d plus up(down(x)); `up` starts at zero.

    Of a convolution, `down` has its kernel and `up` is 1x1, as LoRA trainers do it.
    """

    def __init__(self, base: nn.Linear | nn.Conv2d, rank: int) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down: nn.Linear | nn.Conv2d
        self.up: nn.Linear | nn.Conv2d
        if isinstance(base, nn.Conv2d):
            how = {"stride": base.stride, "padding": base.padding}
            self.down = nn.Conv2d(base.in_channels, rank, base.kernel_size, bias=False, **how)  # type: ignore[arg-type]
            self.up = nn.Conv2d(rank, base.out_channels, 1, bias=False)
        else:
            self.down = nn.Linear(base.in_features, rank, bias=False)
            self.up = nn.Linear(rank, base.out_features, bias=False)
        nn.init.normal_(self.down.weight, std=base.weight[0].numel() ** -0.5)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        """The base layer's output plus up(down(x)); x as the base takes it."""
        return self.base(x) + self.up(self.down(x))

    @torch.no_grad()
    def merged(self) -> Tensor:
        """Shaped as the base's weight: the one weight that does the same."""
        change = self.up.weight.flatten(1) @ self.down.weight.flatten(1)
        return self.base.weight + change.reshape(self.base.weight.shape)


def wrap_(module: nn.Module, rank: int, *parts: str) -> dict[str, LowRank]:
    """Replaces, in place, every Linear and Conv2d whose name contains one of `parts`; returns the
    new ones by name.

    No part given: all of them.
    """
    wrapped = {
        name: LowRank(layer, rank)
        for name, layer in module.named_modules()
        if isinstance(layer, nn.Linear | nn.Conv2d)
        and (not parts or any(part in name for part in parts))
    }
    for name, layer in wrapped.items():
        parent, _, last = name.rpartition(".")
        setattr(module.get_submodule(parent), last, layer)
    return wrapped
