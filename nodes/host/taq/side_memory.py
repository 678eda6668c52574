"""What a model holds on the device beside its weights: projected prompts, factors of LoRAs.

Bounded, counted, freed.

It belongs to the weights, so all settings and clones that share them share one bound, and "unload
models" frees it for all of them.
"""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import CallbacksMP

MAX_BYTES = 512 * 2**20
"""Of one model: ten pairs of prompts at SDXL. What a call needs stays, however much it is."""
_KEY = "personalq_side_memory"


class Holding(Protocol):
    """A cache on the device."""

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""

    def evict(self) -> bool:
        """Give up what was used longest ago; False where only what is in use is left."""

    def clear(self) -> None:
        """Give up everything."""


class SideMemory:
    """The holdings of one model, least recently used first; each lives as long as whoever uses
    it.
    """

    def __init__(self, budget: int = MAX_BYTES):
        self.budget = budget
        self._holdings: weakref.WeakKeyDictionary[Any, None] = weakref.WeakKeyDictionary()

    def use(self, holding: Holding, grew: bool = True) -> None:
        """Say that `holding` is used now.

        Where it `grew`, those used longest ago shrink until all are within the budget.
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
        """Bytes of all holdings."""
        return sum(holding.nbytes for holding in list(self._holdings))

    def clear(self) -> None:
        """Free all of it."""
        for holding in list(self._holdings):
            holding.clear()


def side_memory(model: torch.nn.Module) -> SideMemory:
    """That of the host's `model`, made on first use."""
    if _KEY not in model.__dict__:
        model.__dict__[_KEY] = SideMemory()
    return model.__dict__[_KEY]


def free_when_unloaded(patcher: ModelPatcher) -> None:
    """Free the side memory of the model of `patcher` when the host takes it, or a clone of it, off
    the device.
    """
    patcher.remove_callbacks_with_key(CallbacksMP.ON_DETACH, _KEY)
    patcher.add_callback_with_key(CallbacksMP.ON_DETACH, _KEY, _detached)


def _detached(patcher: ModelPatcher, unpatch_all: bool) -> None:
    if unpatch_all:
        side_memory(patcher.model).clear()
