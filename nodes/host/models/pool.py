"""The pool of loaded and quantized models, stored by value so that each is made only once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import comfy.model_management
import torch


class Pool:
    """A cache of models in main memory, with a budget in bytes; the least recently used go first.

    The host decides which of them are on the GPU.
    """

    def __init__(self, budget: int):
        self.budget = budget
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The entry of `key`, made by `make` on first use.

        `size` gives its bytes. The newest entry stays, however large it is.
        """
        with self._lock:
            if key not in self._entries:
                value = make()
                self._entries[key] = (value, size(value))
            self._entries.move_to_end(key)
            self._shrink()
            return self._entries[key][0]

    def touch(self, key: Hashable) -> None:
        """Mark an entry as just used, if it is there."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)

    def forget(self, which: Callable[[Hashable], bool]) -> None:
        """Drop the entries for whose key `which` is true."""
        with self._lock:
            for key in [key for key in self._entries if which(key)]:
                del self._entries[key]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    @property
    def bytes(self) -> int:
        """Bytes of all entries."""
        return sum(size for _, size in self._entries.values())

    def _shrink(self) -> None:
        while self.bytes > self.budget and len(self._entries) > 1:
            self._entries.popitem(last=False)


POOL = Pool(comfy.model_management.get_total_memory(torch.device("cpu")) // 2)
