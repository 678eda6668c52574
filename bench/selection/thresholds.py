"""Thresholds by which a selector that only scores can decline or ask.

There are two, tuned on one half of the queries and evaluated on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from .instances import Answer

if TYPE_CHECKING:
    import numpy as np

Query = TypeVar("Query")
_GRID = 25
_MAX_OFFERED = 20


@dataclass(frozen=True)
class Scored:
    """A query's best cards with their scores, best first."""

    ids: tuple[str, ...]
    scores: tuple[float, ...]

    @classmethod
    def of(cls, scores: np.ndarray, ids: Sequence[str]) -> Scored:
        """Return the best cards; `scores` [n] belong to the cards `ids`."""
        import numpy as np

        best = np.argsort(-scores, kind="stable")[:_MAX_OFFERED]
        return cls(tuple(ids[i] for i in best), tuple(float(scores[i]) for i in best))

    def best(self) -> Answer:
        """Select the best card, whatever its score."""
        return Answer("select", self.ids[0])

    def judged(self, least: float, margin: float) -> Answer:
        """Decline if all scores are below `least`; ask if several cards are near the best.

        Near is within `margin` of the best score.
        """
        if self.scores[0] < least:
            return Answer("no_match")
        near = [
            card
            for card, score in zip(self.ids, self.scores, strict=True)
            if self.scores[0] - score <= margin
        ]
        return Answer("clarify", offered=tuple(near)) if len(near) > 1 else self.best()


def tune(
    queries: Sequence[Query], scored: Sequence[Scored], right: Callable[[Query, Answer], bool]
) -> tuple[float, float]:
    """Return the (least, margin) with the most right answers on these queries.

    It searches a grid of the scores that occur; `right` says whether an answer is right.
    """
    tops = sorted(one.scores[0] for one in scored)
    gaps = sorted(one.scores[0] - one.scores[-1] for one in scored)
    leasts = [tops[0] - 1.0, *(tops[len(tops) * step // _GRID] for step in range(_GRID))]
    margins = [-1.0, 0.0, *(gaps[len(gaps) * step // _GRID] / 4 for step in range(_GRID))]
    pairs = list(zip(queries, scored, strict=True))
    return max(
        ((least, margin) for least in leasts for margin in margins),
        key=lambda both: sum(right(query, one.judged(*both)) for query, one in pairs),
    )
