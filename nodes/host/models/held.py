"""Repositories as they were read a moment ago, so that not every key that is typed reads the disk.

Opening a repository of 100,000 models takes over a second even where nothing changed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ....checkin import Repository
from ....checkin.index.read_models import Progress
from .repository import open_repository

FRESH_SECONDS = 20.0
"""How long a repository is used before the disk is looked at again."""


class HeldRepositories:
    """The repositories that were opened last. Thread-safe: one is opened at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._held: dict[str, tuple[float, Repository]] = {}
        self._lock = threading.Lock()

    def open(self, name: str, progress: Progress | None = None) -> Repository:
        """The models of one of `choices()`. Raises what `open_repository` raises."""
        with self._lock:
            now = self._clock()
            self._held = {
                one: (read, held)
                for one, (read, held) in self._held.items()
                if now < read + FRESH_SECONDS
            }
            if name not in self._held:
                opened = open_repository(name, progress)
                self._held[name] = (self._clock(), opened)
            return self._held[name][1]

    def forget(self) -> None:
        """Look at the disk again at the next opening, because something is known to have changed.

        Waits for an opening that has begun, which may have looked before the change.
        """
        with self._lock:
            self._held = {}
