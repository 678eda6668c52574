"""One request to one library, with what was understood of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..catalog.selection import CardSelection
from ..catalog.vocabulary import Vocabulary
from ..index.repository import Repository
from .gates.constraints import Reading
from .options import Options
from .ranking import Ranker


@dataclass(frozen=True)
class Case:
    """One request, as understood with the words of one library."""

    request: str
    repository: Repository
    options: Options
    vocabulary: Vocabulary
    reading: Reading
    ranker: Ranker
    said_base: str | None = None
    """The base model that the request itself names, also where the user has set another one."""

    @property
    def library(self) -> CardSelection:
        """The models that can be asked for."""
        return self.vocabulary.personal
