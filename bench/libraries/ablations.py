"""The parts of Check-in, and how each is taken away to see what it is worth.

Nothing in Check-in knows of this: the cards, the reading of a request, the features or a function
are changed from outside, and the weights are learned anew without the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any
from unittest.mock import patch

import numpy as np

from ...checkin import Card, Repository
from ...checkin.catalog.columns import Array
from ...checkin.decision.evidence.features import NAMES
from ...checkin.decision.several.parts import Several
from ...checkin.language.gates import Builds
from ...checkin.language.intent import Intent
from ...checkin.language.parse import parse
from ...checkin.language.phrases import Mention
from ...checkin.language.segments import Segment, segments_of
from .open_library import OpenLibrary

FEATURES = {
    "names": ("named", "name_", "rarest", "exact", "rel_name"),
    "comparison": ("rel_",),
    "what is not met": ("unmet", "unasked"),
}
"""Group of features -> the beginnings of their names."""
COVERAGE = ("cover_",)
"""The features that say how much of the request a lineage covers."""
_READ_IN = ("...checkin.check_in", ".learn")
"""The modules that read requests."""


@dataclass(frozen=True)
class Part:
    """A part of Check-in, and how it is taken away."""

    label: str
    """What is left, for tables."""
    features: str | None = None
    """The group of FEATURES that the likelihood goes without."""
    card: Callable[[Card], Card] | None = None
    """What is left of a card."""
    intent: Callable[[Intent], Intent] | None = None
    """What is left of the reading of a request."""
    instead: tuple[tuple[str, str, Any], ...] = ()
    """(module, name, what stands there instead)."""
    learned: bool = True
    """Whether weights are learned; otherwise all coverage counts alike."""

    @property
    def kept(self) -> Array:
        """Bool [features]: those with a weight. Raises ValueError for a group without features."""
        if not self.learned:
            return beginning_with(COVERAGE)
        if self.features is None:
            return np.ones(len(NAMES), bool)
        return ~beginning_with(FEATURES[self.features])

    @property
    def grounding(self) -> tuple[object, ...]:
        """What requests are grounded with: equal for parts whose candidates are the same."""
        return self.card, self.intent, self.instead

    def of(self, at: OpenLibrary) -> OpenLibrary:
        """The library, with what is left of its cards."""
        if self.card is None:
            return at
        cards = [self.card(card) for card in at.repository.cards]
        return OpenLibrary(at.library, Repository(cards, embedder=None), at.paths)

    @contextmanager
    def taken_away(self) -> Iterator[None]:
        """Run Check-in without the part, as far as it is not in its cards and weights.

        Raises AttributeError if something that is to be replaced is no longer there.
        """
        with ExitStack() as stack:
            for module, name, other in (*self.instead, *self._reading()):
                stack.enter_context(patch.object(import_module(module, __package__), name, other))
            yield

    def _reading(self) -> Iterator[tuple[str, str, Any]]:
        change = self.intent
        if change is not None:
            for module in _READ_IN:
                yield module, "parse", lambda *request: change(parse(*request))


def beginning_with(beginnings: tuple[str, ...]) -> Array:
    """Bool [features]: whether a name begins so. Raises ValueError where none does."""
    found = np.array([name.startswith(beginnings) for name in NAMES])
    if not found.any():
        raise ValueError(
            f"no feature of the likelihood begins with {', '.join(beginnings)}: change the groups "
            f"in {__name__}; there are {', '.join(NAMES)}"
        )
    return found


def _without_gates(intent: Intent) -> Intent:
    """Nothing filters; a superlative still picks, and what was used is still looked up."""
    return replace(
        intent,
        unwanted=(),
        times=intent.times if intent.used else (),
        versions=(),
        base_model=None,
        other_bases=(),
        unwanted_bases=(),
        kind=None,
        builds=Builds(),
        origin=None if intent.origin == "downloaded" else intent.origin,
    )


def _without_reading(intent: Intent) -> Intent:
    return replace(intent, subject=None, others=(), styles=(), preferred=(), missing=None)


def _without_texts(card: Card) -> Card:
    return replace(card, tags=(), description="", captions={})


def _of_nobody(card: Card) -> Card:
    return replace(card, origin=None)


def _without_names(intent: Intent) -> Intent:
    return replace(intent, names=())


def _without_origin(intent: Intent) -> Intent:
    return replace(intent, origin=None)


def _without_places(mentions: Sequence[Mention]) -> list[Segment]:
    return [replace(one, part="head", look=False, after_in=False) for one in segments_of(mentions)]


WHOLE = Part("**Check-in**")
PARTS = {
    "checkin-no-gates": Part("Check-in without gates: nothing filters", intent=_without_gates),
    "checkin-no-names": Part(
        "Check-in without names in its likelihood", features="names", intent=_without_names
    ),
    "checkin-no-texts": Part(
        "Check-in without tags, descriptions and captions", card=_without_texts
    ),
    "checkin-no-origin": Part(
        "Check-in that does not know who trained a model", card=_of_nobody, intent=_without_origin
    ),
    "checkin-no-places": Part(
        "Check-in without places in the sentence",
        instead=(("...checkin.decision.candidates.grounded", "segments_of", _without_places),),
    ),
    "checkin-no-reading": Part(
        "Check-in without reading subject and style", intent=_without_reading
    ),
    "checkin-no-comparison": Part(
        "Check-in without comparing candidates in its likelihood", features="comparison"
    ),
    "checkin-no-unmet": Part(
        "Check-in without unmet words in its likelihood", features="what is not met"
    ),
    "checkin-one-model": Part(
        "Check-in that selects one model at most",
        instead=(
            ("...checkin.decision.candidates.choice", "MAX_TOGETHER", 1),
            ("...checkin.decision.by_evidence", "decide_parts", lambda case, now: Several()),
            ("...checkin.decision.by_evidence", "decide_divided", lambda *_: None),
            ("...checkin.decision.by_evidence", "with_named_style", lambda case, card: (card,)),
        ),
    ),
    "checkin-coverage": Part("Check-in by plain coverage, no likelihood", learned=False),
}
"""Name of the selector -> the part that it goes without."""
