"""Plain LoRAs as one bypass branch of a layer, computed in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from comfy.weight_adapter import LoRAAdapter, WeightAdapterBase
from torch.nn import functional

from .device_copies import DeviceCopies


class LowRankBranch:
    """The bypass branch of all plain LoRAs at one layer, their factors concatenated by rank.

    Its output is added to the layer's in place: nothing else of that size is made.
    """

    def __init__(self, layer: Any, patches: Sequence[tuple], copies: DeviceCopies):
        self._copies = copies
        self._adapters = tuple(patch[1] for patch in patches)
        self._conv = layer if isinstance(layer, torch.nn.Conv2d) else None
        self._scales = [_scale(adapter, strength) for strength, adapter, *_ in patches]
        self._each: torch.Tensor | None = None
        """The scale of each rank, where they differ."""

    @classmethod
    def takes(cls, layer: Any, adapter: WeightAdapterBase) -> bool:
        """Whether `adapter` at `layer` is a plain LoRA."""
        return isinstance(adapter, LoRAAdapter) and getattr(layer, "groups", 1) == 1

    def factors(self, device: torch.device, dtype: torch.dtype) -> tuple:
        """Down [R, I] (of a convolution: [R, C, kh, kw]) and up [O, R], R the sum of all ranks."""
        return self._copies.get(self._adapters, device, dtype, self._concatenated)

    def __call__(self, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """Add the LoRAs' output to `out` [..., O] (or [B, O, H, W]), the layer's output for `x`."""
        down, up = self.factors(x.device, x.dtype)
        layer = self._conv
        if layer is None:
            hidden, scale = self._scaled(functional.linear(x, down), 1)
            return _add_rows(out, hidden, up, scale)
        hidden, scale = self._scaled(layer._conv_forward(x, down, None), 3)
        if out.is_contiguous():
            ups = up.expand(len(out), *up.shape)
            out.flatten(2).baddbmm_(ups, hidden.flatten(2), alpha=scale)
            return out
        rows, hidden = out.permute(0, 2, 3, 1), hidden.permute(0, 2, 3, 1)
        return _add_rows(rows, hidden, up, scale).permute(0, 3, 1, 2)

    def _scaled(self, hidden: torch.Tensor, dims: int) -> tuple[torch.Tensor, float]:
        """`hidden`, whose ranks are `dims` from its end, and the scale that is left to apply."""
        first, *others = self._scales
        if all(scale == first for scale in others):
            return hidden, first
        if self._each is None:
            ranks = torch.tensor([adapter.weights[1].shape[0] for adapter in self._adapters])
            self._each = torch.tensor(self._scales).repeat_interleave(ranks).to(hidden)
        return hidden * self._each.view(-1, *[1] * (dims - 1)), 1.0

    def _concatenated(self, weights: Iterable[tuple]) -> tuple:
        ups, downs = zip(*((up.flatten(1), down) for up, down, *_ in weights), strict=True)
        if self._conv is None:
            downs = tuple(down.flatten(1) for down in downs)
        else:
            shape = self._conv.in_channels, *self._conv.kernel_size
            downs = tuple(down.reshape(-1, *shape) for down in downs)
        if len(ups) == 1:
            return downs[0], ups[0]
        return torch.cat(downs), torch.cat(ups, 1)


def _add_rows(
    out: torch.Tensor, hidden: torch.Tensor, up: torch.Tensor, scale: float
) -> torch.Tensor:
    """Out [..., O] + scale * hidden [..., R] up.T, in place where `out` lies in one piece."""
    hidden = hidden.reshape(-1, hidden.shape[-1])
    if out.is_contiguous():
        out.view(-1, out.shape[-1]).addmm_(hidden, up.T, alpha=scale)
        return out
    return out + (scale * (hidden @ up.T)).view(out.shape)


def _scale(adapter: Any, strength: float) -> float:
    _, down, alpha, *_ = adapter.weights
    return strength * (1.0 if alpha is None else float(alpha) / down.shape[0])
