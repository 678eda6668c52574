"""What one stage of a decision says: a model, a question, or that nothing fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..catalog.selection import CardSelection, CardView
from ..language.intent import Division
from .decision import NearMiss, Question

if TYPE_CHECKING:
    from .grounded import Grounded

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
    divided: Division | None = None
    """How the request was divided, if it adds models in words of their own."""
    then: Callable[[Verdict, Grounded], tuple[Verdict, Grounded]] | None = None
    """Of a question about one of several models: from the verdict on its answer to that on all."""

    @property
    def declines(self) -> bool:
        """Whether it says that nothing fits."""
        return self.entry is None and self.question is None
