"""What one stage of a decision says: a model, a question, or that nothing fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..catalog.selection import CardSelection, CardView
from .decision import NearMiss, Question

Rank = Callable[[Sequence[CardView]], CardSelection]
"""Returns the same models, those that fit the request best first."""


@dataclass(frozen=True)
class Verdict:
    """Exactly one of a model, a question, or that nothing fits."""

    why: str
    entry: CardView | None = None
    further: tuple[CardView, ...] = ()
    """Models that are used together with `entry`."""
    question: Question | None = None
    near: tuple[NearMiss, ...] = ()
    neighbours: CardSelection | None = None
    """If a superlative decided: the picked model and its neighbours in that order."""
    notices: tuple[str, ...] = ()
    """Notices about how it was decided."""
    clear: bool = False
    """Whether the evidence is clear, so that no language model is asked."""

    @property
    def declines(self) -> bool:
        """Whether it says that nothing fits."""
        return self.entry is None and self.question is None
