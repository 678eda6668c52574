"""A frozen layer with a trainable low-rank difference (LoRA, Hu et al. 2021)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LowRank(nn.Module):
    """A frozen Linear or Conv2d plus up(down(x)); `up` starts at zero.

    For a convolution, `down` has its kernel size and `up` is 1x1, as in LoRA trainers.
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
        """Return the base layer's output plus up(down(x)); x has the shape that the base takes."""
        return self.base(x) + self.up(self.down(x))

    @torch.no_grad()
    def merged(self) -> Tensor:
        """Return the one weight that does the same, in the shape of the base's weight."""
        change = self.up.weight.flatten(1) @ self.down.weight.flatten(1)
        return self.base.weight + change.reshape(self.base.weight.shape)


def wrap_(module: nn.Module, rank: int, *parts: str) -> dict[str, LowRank]:
    """Replace every Linear and Conv2d by a LowRank, in place; return the new layers by name.

    With `parts`, only layers whose name contains one of them.
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
