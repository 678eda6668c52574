"""The pools of loaded and quantized models, stored by value so that each is made only once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import comfy.model_management
import torch


class _Entry(NamedTuple):
    value: Any
    bytes: int
    beside: frozenset[Hashable]
    """The keys of the entries that are used together with this one."""


class Pool:
    """A cache of models in main memory, with a budget in bytes; the least recently used go first.

    The host decides which of them are on the GPU. A key is a tuple that begins with the kind of
    what it names.
    """

    def __init__(self, budget: int):
        self.budget = budget
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = threading.RLock()

    def get(
        self,
        key: Hashable,
        make: Callable[[], Any],
        size: Callable[[Any], int],
        beside: tuple[Hashable, ...] = (),
    ) -> Any:
        """The entry of `key`, made by `make` on first use.

        `size` gives its bytes. What is in use stays, however large it is: the newest entry, those
        it is used `beside`, and of each other kind the one used last beside one of these.
        """
        with self._lock:
            if key not in self._entries:
                value = make()
                self._entries[key] = _Entry(value, size(value), frozenset(beside))
                self._shrink(key)
            self._entries.move_to_end(key)
            return self._entries[key].value

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

    def keys(self) -> list[Hashable]:
        """The keys of all entries, the least recently used first."""
        with self._lock:
            return list(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    @property
    def bytes(self) -> int:
        """Bytes of all entries."""
        return sum(entry.bytes for entry in self._entries.values())

    def _shrink(self, newest: Hashable) -> None:
        over = self.bytes - self.budget
        if over <= 0:
            return
        in_use = self._in_use(newest)
        for key in [key for key in self._entries if key not in in_use]:
            over -= self._entries.pop(key).bytes
            if over <= 0:
                return

    def _in_use(self, newest: Hashable) -> set[Hashable]:
        roots = {newest} | self._entries[newest].beside
        last: dict[Any, Hashable] = {}
        for key, entry in self._entries.items():
            if roots & entry.beside:
                last[_kind(key)] = key
        last[_kind(newest)] = newest
        return roots | set(last.values())


def _kind(key: Hashable) -> Hashable:
    return key[0] if isinstance(key, tuple) else key


POOL = Pool(comfy.model_management.get_total_memory(torch.device("cpu")) // 2)
FACTS = Pool(2**20)
"""What was read from weights: a few bytes that take seconds to read again."""
