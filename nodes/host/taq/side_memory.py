"""Side memory: what a model holds on the device in addition to its weights, which are projected
prompts and factors of LoRAs.

It has a limit, is counted, and is freed. It belongs to the weights, so all settings and clones that
share the weights share one limit, and "unload models" frees it for all of them.
"""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import CallbacksMP

MAX_BYTES = 512 * 2**20
"""The limit for one model, enough for ten pairs of prompts with SDXL.

What a call needs stays, even if it is more.
"""
MAX_TEXTS = 64
"""The most texts that a cache has; the limit of bytes comes first, except with short texts.

A picture of many regions has a batch of texts for each, in every step: with more than these, none
would be found again.
"""
_KEY = "personalq_side_memory"


class Holding(Protocol):
    """A cache on the device."""

    @property
    def nbytes(self) -> int:
        """Bytes of everything in it."""

    def evict(self) -> bool:
        """Drop the least recently used part; return False if all that is left is in use."""

    def clear(self) -> None:
        """Drop everything."""


class SideMemory:
    """The caches of one model, the least recently used first, by weak reference."""

    def __init__(self, budget: int = MAX_BYTES):
        self.budget = budget
        self._holdings: weakref.WeakKeyDictionary[Any, None] = weakref.WeakKeyDictionary()

    def use(self, holding: Holding, grew: bool = True) -> None:
        """Mark `holding` as just used.

        If it `grew`, caches drop parts, the least recently used cache first, until all of them
        together are within the budget.
        """
        self._holdings.pop(holding, None)
        self._holdings[holding] = None
        if grew:
            self._make_room()

    def _make_room(self) -> None:
        over = self.nbytes - self.budget
        for other in list(self._holdings) if over > 0 else ():
            before = other.nbytes
            while other.nbytes > before - over and other.evict():
                pass
            over -= before - other.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of all caches."""
        return sum(holding.nbytes for holding in list(self._holdings))

    def clear(self) -> None:
        """Clear all caches."""
        for holding in list(self._holdings):
            holding.clear()


def side_memory(model: torch.nn.Module) -> SideMemory:
    """The side memory of the host's `model`, made on first use."""
    if _KEY not in model.__dict__:
        model.__dict__[_KEY] = SideMemory()
    return model.__dict__[_KEY]


def free_when_unloaded(patcher: ModelPatcher) -> None:
    """Free the side memory of `patcher`'s model when the host unloads it, or a clone, from the
    device.
    """
    patcher.remove_callbacks_with_key(CallbacksMP.ON_DETACH, _KEY)
    patcher.add_callback_with_key(CallbacksMP.ON_DETACH, _KEY, _detached)


def _detached(patcher: ModelPatcher, unpatch_all: bool) -> None:
    if unpatch_all:
        side_memory(patcher.model).clear()
