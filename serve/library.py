"""The models of a service, read again within seconds when they change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from ..checkin import Repository
from ..checkin.index.folders import folder_digest
from ..checkin.user.preferences import OFF, load_preferences
from .plan import Plan

LOOK_EVERY = 3.0
"""Seconds after which the folders are looked at again."""


class Library:
    """The repository of a plan's folders. Thread-safe: while one request reads what changed, the
    others go on with what is known.
    """

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic):
        """Read the models. Raises ValueError where there are none."""
        self._plan, self._clock = plan, clock
        self._lock = threading.Lock()
        self._seen = self._digest()
        self._repository = self._open()
        self._looked = clock()

    def repository(self) -> Repository:
        """The models, as the disk had them a few seconds ago at most."""
        if self._clock() - self._looked > LOOK_EVERY and self._lock.acquire(blocking=False):
            try:
                seen = self._digest()
                if seen != self._seen:
                    self._repository, self._seen = self._open(), seen
                self._looked = self._clock()
            finally:
                self._lock.release()
        return self._repository

    def _digest(self) -> str:
        return folder_digest(map(str, self._plan.folders), ())

    def _open(self) -> Repository:
        settings = Path(self._plan.settings) if self._plan.settings else None
        embedder = load_preferences(settings).embedder
        self._plan.index.parent.mkdir(parents=True, exist_ok=True)
        return Repository.open(
            *self._plan.folders,
            cache=self._plan.index,
            embedder=None if embedder == OFF else embedder,
        )
