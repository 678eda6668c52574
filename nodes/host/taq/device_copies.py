"""Copies of LoRAs' factors on the device, which belong to a model's side memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from comfy.weight_adapter import WeightAdapterBase

Adapters = tuple[WeightAdapterBase, ...]
STATES = 4
"""The number of sets of branches that are stored for the next calls."""


class DeviceCopies:
    """Copies of adapters' factors on the device, one for all strengths."""

    def __init__(self) -> None:
        self._copies: OrderedDict[tuple, tuple[Adapters, tuple, int]] = OrderedDict()
        self._used: dict[tuple, int] = {}
        """When a copy was last used, in calls of the UNet."""
        self._call = 0
        self._bytes = 0

    def begin(self) -> None:
        """Count a call of the UNet, before it runs."""
        self._call += 1

    def get(
        self,
        adapters: Adapters,
        device: torch.device,
        dtype: torch.dtype,
        combine: Callable[[Iterable[tuple]], tuple] | None = None,
    ) -> tuple:
        """What `combine` makes of the weights of `adapters` on `device` in `dtype`; without it,
        those of the only adapter.

        It is made on first use, and stored unless it only refers to the adapters' own memory.
        """
        key = tuple(map(id, adapters)), device, dtype
        if key not in self._copies:
            weights: Any = [one.weights for one in adapters]
            moved = [tuple(_moved(part, device, dtype) for part in one) for one in weights]
            made = combine(moved) if combine else moved[0]
            own = {_place(part) for one in weights for part in one}
            size = sum(part.nbytes for part in made if is_float(part) and _place(part) not in own)
            if not size:
                return made
            self._copies[key] = adapters, made, size
            self._bytes += size
        self._copies.move_to_end(key)
        self._used[key] = self._call
        return self._copies[key][1]

    @property
    def adapters(self) -> set[int]:
        """The ids of the adapters of which there is a copy, alone or with others."""
        return {id(one) for adapters, *_ in self._copies.values() for one in adapters}

    @property
    def nbytes(self) -> int:
        """Bytes of all copies."""
        return self._bytes

    def evict(self) -> bool:
        """Drop the least recently used copy; return False if the last calls used all of them."""
        oldest = next(iter(self._copies), None)
        if oldest is None or self._used[oldest] > self._call - STATES:
            return False
        self._bytes -= self._copies.pop(oldest)[-1]
        del self._used[oldest]
        return True

    def clear(self) -> None:
        """Drop all copies."""
        self._copies.clear()
        self._used.clear()
        self._bytes = 0


def is_float(part: Any) -> bool:
    """Whether `part` is a tensor in floating point."""
    return isinstance(part, torch.Tensor) and part.is_floating_point()


def _moved(part: Any, device: torch.device, dtype: torch.dtype) -> Any:
    return part.to(device, dtype) if is_float(part) else part


def _place(part: Any) -> tuple | None:
    """Where a tensor's values are."""
    if not isinstance(part, torch.Tensor):
        return None
    return part.device, part.dtype, part.data_ptr() or id(part)
