"""What one stage of a decision says: a model, a question, or that nothing fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..catalog.cards import Card
from ..catalog.pinned import PinnedModel
from ..catalog.reference import Reference
from ..catalog.selection import CardSelection, CardView
from ..language.called import Names
from ..language.intent import Division
from .decision import NearMiss, Question

if TYPE_CHECKING:
    from .candidates.grounded import Grounded
    from .candidates.near_words import NearWords

Rank = Callable[[Sequence[CardView]], CardSelection]
"""Returns the same models, those that fit the request best first."""


@dataclass(frozen=True)
class Resolved:
    """A model that was picked by hand, and what the library has of it."""

    pinned: PinnedModel
    entry: CardView | None = None
    """None if the library does not have it."""
    near: tuple[NearMiss, ...] = ()
    """The nearest models, if the library does not have it."""


@dataclass(frozen=True)
class Verdict:
    """Exactly one of a model, a question, or that nothing fits."""

    why: str
    entry: CardView | None = None
    further: tuple[CardView, ...] = ()
    """Models that are used together with `entry`."""
    question: Question | None = None
    near: tuple[NearMiss, ...] = ()
    near_words: NearWords = ()
    """Where nothing fits: words that no card has, with the nearest ones of the library."""
    neighbours: CardSelection | None = None
    """If a superlative decided: the picked model and its neighbours in that order; else the picked
    model, its other builds and the next likeliest. If the user picked a model by hand: those that
    the request may mean, the likeliest first."""
    notices: tuple[str, ...] = ()
    """Notices about how it was decided."""
    unused: tuple[str, ...] = ()
    """Words of the request that chose none of the models."""
    clear: bool = False
    """Whether the evidence is clear, so that no language model is asked."""
    times_are_names: bool = False
    """Whether words for times were read as names of models: "jan klaassen"."""
    divided: Division | None = None
    """How the request was divided, if it adds models in words of their own."""
    then: Then | None = None
    """Of a question about one of several models."""
    heard: tuple[tuple[str, str], ...] = ()
    """The answers that name a choice, each with that choice in the user's language."""
    unheard: tuple[str, ...] = ()
    """The answers that were not understood."""
    resolved: tuple[Resolved, ...] = ()
    """The models that were picked by hand: those in use, and those that are off or not here."""
    used: Mapping[int, PinnedModel] = field(default_factory=dict)
    """Position of a model that the request decided for -> how the user wants it used."""
    alone: Card | None = None
    """If all of them are off: their base, which draws alone."""
    words: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Position of a model -> the words of the request that it stands for."""
    parts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Position of a model that a request adds in words of its own -> these words."""
    names: Names = field(default_factory=dict)
    """The words, side by side, by which the request calls each model."""

    @property
    def views(self) -> tuple[CardView, ...]:
        """All models that are used."""
        return (self.entry, *self.further) if self.entry else ()

    def pinned(self, view: CardView) -> PinnedModel:
        """A model as the user picked or uses it, else as Check-in uses it."""
        found = (
            one.pinned for one in self.resolved if one.entry and one.entry.position == view.position
        )
        known = next(found, None) or self.used.get(view.position)
        return known or PinnedModel(Reference.of(view.card))

    @property
    def declines(self) -> bool:
        """Whether it says that nothing fits."""
        return self.entry is None and self.question is None


Decided = tuple[Verdict, "Grounded"]
"""A verdict, and the request as it was read for it: a question is about models that its case has
left.
"""
Then = Callable[[Verdict, "Grounded"], Decided]
"""From the verdict on the answer to a question about one of several models, to that on all."""
