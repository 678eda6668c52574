"""The models of a service, read again within seconds when they change."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ..checkin import EmptyRepository, Repository
from ..checkin.index.build_index import RepositoryError
from ..checkin.index.folders import folder_digest, subfolders
from ..checkin.index.shared import generation_of
from ..checkin.lexicon.sentences import say
from ..checkin.user.preferences import OFF, Preferences, load_preferences
from .plan import Plan

LOOK_EVERY = 3.0
"""Seconds after which it is looked again whether something changed."""
logger = logging.getLogger("personalq.serve")


class Library:
    """The repository of a plan's folders, or of an index that another process makes of them.

    Thread-safe: while one request reads what changed, the others go on with what is known.
    """

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic):
        """Read the models. Raises ValueError where there are none."""
        self._plan, self._clock = plan, clock
        self._lock = threading.Lock()
        self._seen: object = None
        self._repository = self._opened()
        self._looked = clock()

    def repository(self) -> Repository:
        """The models, as the disk had them a few seconds ago at most.

        A change that cannot be read leaves what is known; it is tried again.
        """
        if self._clock() - self._looked > LOOK_EVERY and self._lock.acquire(blocking=False):
            try:
                if self._now() != self._seen:
                    self._repository = self._opened()
                self._looked = self._clock()
            except EmptyRepository:
                raise
            except RepositoryError as error:
                logger.warning("the models stay as they were: %s", error)
                self._looked = self._clock()
            finally:
                self._lock.release()
        return self._repository

    def _now(self) -> object:
        """What is another when something changed."""
        if self._plan.shared_index:
            return generation_of(Path(self._plan.shared_index))
        kept, left_out = self._folders()
        return folder_digest(kept, (), left_out)

    def _preferences(self) -> Preferences:
        settings = self._plan.settings
        return load_preferences(Path(settings) if settings else None)

    def _folders(self) -> tuple[list[str], list[str]]:
        """The folders of models, and those in them that the user's settings leave out."""
        names = self._preferences().leave_out
        kept = [folder for folder in self._plan.folders if folder.name not in names]
        left_out = [
            str(folder / name)
            for folder in kept
            for name in subfolders(str(folder))
            if f"{folder.name}/{name}" in names
        ]
        return list(map(str, kept)), left_out

    def _opened(self) -> Repository:
        plan = self._plan
        said = self._preferences().embedder
        embedder = None if said == OFF else said
        plan.index.parent.mkdir(parents=True, exist_ok=True)
        if plan.shared_index:
            stored = plan.index.with_suffix(".embeddings.sqlite")
            repository, self._seen = Repository.open_shared(plan.shared_index, embedder, stored)
            return repository
        seen = self._now()
        kept, left_out = self._folders()
        if plan.folders and not kept:
            raise EmptyRepository(
                say(
                    "All folders of models are left out: look at one of them, in the settings "
                    "under PersonalQ."
                )
            )
        repository = Repository.open(*kept, cache=plan.index, embedder=embedder, leave_out=left_out)
        self._seen = seen
        return repository
