"""One thread reads the models of the disk at a time.

Others that need them meanwhile wait, as what it reads is stored: two that read the same need twice
as long for it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ....checkin.index.read_models import Progress

_LOOKS = 0.1
"""Seconds between two looks of those that wait."""


class OneReader:
    """Whose turn it is to read."""

    def __init__(self) -> None:
        self._reading = threading.Lock()
        self._far: tuple[int, int] | None = None

    @contextmanager
    def turn(self, progress: Progress | None) -> Iterator[Progress]:
        """A context in which no other thread reads, with what is to be told of one's own progress.

        `progress` is told of that, and before it of theirs; what it raises ends the wait.
        """
        while not self._reading.acquire(timeout=_LOOKS):
            if progress and (far := self._far):
                progress(*far)

        def tell(done: int, total: int) -> None:
            self._far = done, total
            if progress:
                progress(done, total)

        try:
            yield tell
        finally:
            self._far = None
            self._reading.release()
