"""Choosing by scores of cards: the best lineage, and of its builds the newest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ...checkin import Card, Repository
from ..selection.instances import Answer as ScoredAnswer
from ..selection.scorers import Scorer
from ..selection.thresholds import Scored
from .score import Answer

if TYPE_CHECKING:
    import numpy as np

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""The date of a card without one."""


@dataclass(frozen=True)
class Lineages:
    """The lineages of a repository; each goes by the id of its newest build."""

    builds: dict[str, tuple[str, ...]]
    """Id of the newest build -> ids of all builds."""
    positions: dict[str, list[int]]
    """Id of the newest build -> positions of all builds in the repository."""

    @classmethod
    def of(cls, repository: Repository) -> Lineages:
        """Group the cards by their lineage; a card without one is a lineage of its own."""
        groups: defaultdict[str, list[tuple[int, Card]]] = defaultdict(list)
        for position, card in enumerate(repository.cards):
            groups[card.lineage or card.id].append((position, card))
        builds, positions = {}, {}
        for group in groups.values():
            newest = max(group, key=lambda build: build[1].created_at or _LONG_AGO)[1].id
            builds[newest] = tuple(card.id for _, card in group)
            positions[newest] = [position for position, _ in group]
        return cls(builds, positions)

    def scores(self, scorer: Scorer, text: str, repository: Repository) -> np.ndarray:
        """Float [lineages]: the score of each lineage for a request, that of its best build.

        Raises ValueError for a repository without cards.
        """
        import numpy as np

        scores = scorer(text, repository)
        return np.array([scores[rows].max() for rows in self.positions.values()])

    def scored(self, scorer: Scorer, text: str, repository: Repository) -> Scored:
        """Return the best lineages for a request. Raises as `scores` does."""
        return Scored.of(self.scores(scorer, text, repository), list(self.positions))

    def answer(self, found: ScoredAnswer, path_of: Callable[[str], str]) -> Answer:
        """Return an answer in paths; each choice of a question stands for all builds of a lineage.

        `path_of` gives the path of a card's file.
        """
        return Answer(
            found.outcome,
            (path_of(found.card),) if found.card else (),
            tuple(tuple(map(path_of, self.builds[newest])) for newest in found.offered),
        )
