"""Activations in groups of channels or rows with similar ranges (DGQ, Ryu et al. 2025)."""

from __future__ import annotations

from collections.abc import Hashable

import torch
from torch import Tensor

from .activations import OfAnyBits, quantize_in_range
from .kmeans import kmeans


class Grouped(OfAnyBits):
    """Static ranges for `groups` groups of channels, or of rows, whichever differ more.

    Rows are tokens or pixels. Calibration finds the smallest and the largest value of each channel
    and of each row; the spread of a dimension is that of its largest values plus that of its
    smallest. Channels, or rows, are grouped by k-means on (smallest, largest), and a group's range
    contains all its members. Raises ValueError when the number of rows changes.
    """

    static = True

    def __init__(self, bits: int, groups: int) -> None:
        self.bits, self._groups = bits, groups
        self._channels = self._rows = torch.zeros(0, 2)
        self._low = self._high = torch.zeros(0)

    @property
    def kind(self) -> Hashable:
        """Its class, and how many groups it makes."""
        return Grouped, self._groups

    def see(self, x: Tensor, step: int) -> None:
        """Widen the ranges of the channels and of the rows to contain x."""
        x = _three_dimensional(x)
        low, high = x.amin(0), x.amax(0)
        self._channels = _wider(self._channels, low.amin(0), high.amax(0))
        self._rows = _wider(self._rows, low.amin(1), high.amax(1))

    def finish(self) -> None:
        """Group channels or rows, whichever differ more, and set the ranges of the groups."""
        ranges = self._channels if _spread(self._channels) >= _spread(self._rows) else self._rows
        group = kmeans(ranges, self._groups)
        low = ranges.new_full((self._groups,), torch.inf).scatter_reduce(
            0, group, ranges[:, 0], "amin"
        )[group]
        high = ranges.new_full((self._groups,), -torch.inf).scatter_reduce(
            0, group, ranges[:, 1], "amax"
        )[group]
        shape = (-1,) if ranges is self._channels else (-1, 1)
        self._low, self._high = low.view(shape), high.view(shape)

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """Quantize x in the ranges of its groups.

        Raises ValueError for another number of rows.
        """
        rows = _three_dimensional(x)
        _check(self._rows, rows.shape[1])
        return quantize_in_range(rows, self._low, self._high, self.bits).view(x.shape)


def _three_dimensional(x: Tensor) -> Tensor:
    """Reshape x [B, ..., C] to [B, rows, C]."""
    return x.reshape(x.shape[0], -1, x.shape[-1])


def _wider(ranges: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Widen `ranges` [P, 2], of (smallest, largest), to contain `low` and `high` [P].

    `ranges` is empty at first.
    """
    if len(ranges):
        _check(ranges, len(low))
        low, high = torch.minimum(low, ranges[:, 0]), torch.maximum(high, ranges[:, 1])
    return torch.stack((low, high), dim=1)


def _spread(ranges: Tensor) -> float:
    low, high = ranges.unbind(1)
    return ((high.max() - high.min()) + (low.max() - low.min())).item()


def _check(ranges: Tensor, found: int) -> None:
    if len(ranges) != found:
        raise ValueError(
            f"calibration had {len(ranges)} rows here and this call has {found}; "
            "groups of rows need pictures and texts of one size"
        )
