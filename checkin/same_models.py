"""Which requests ask for the same models, so that what was chosen for one holds for another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from .catalog.pinned import PinnedModel
from .catalog.selection import CardSelection
from .catalog.vocabulary import vocabulary_of
from .check_in import check_in
from .decision.decision import Decision, Question
from .decision.evidence.grounder import GroundedSegment, grounder_of
from .decision.resolve import find
from .index.repository import Repository
from .language.intent import Intent
from .language.parse import parse
from .language.segments import segments_of
from .lexicon import FUNCTION, Phrase
from .lexicon.spelling import stems

_NAMES = 0.7
"""From this strength on, a word of a request says a model: in its name, trigger, subject, tags."""
_NAMES_BEHIND = 0.8
"""The same for a word behind the head, as of the scene, which many captions may have."""


def asking_for_the_same(
    decision: Decision, others: Iterable[str], repository: Repository, **options: Any
) -> tuple[str, ...]:
    """Those of `others` of which Check-in, left to itself, decides the same models as `decision`.

    "Pip in the garden, at night" asks for the same as "pip in the garden": it selects the same, has
    the same question, or lacks the same and offers the same in its place. A question is the same
    where the request says the same of the models; the scene may put others of many first, as "my
    dog on the beach" and "my dog in the car", but "my old dog" says more of them. `options` are
    those of `check_in` that decide.
    """
    return tuple(
        other
        for other in others
        if _alike(decision, check_in(other, repository, **options), repository)
    )


def goes_on(request: str, other: str) -> bool:
    """Whether one of two requests has all words of the other, but small ones: it was worded on."""
    one, two = {*stems(request)} - FUNCTION, {*stems(other)} - FUNCTION
    return one <= two or two <= one or request in other or other in request


def still_chosen(
    decision: Decision, other: str, chosen: Iterable[PinnedModel], repository: Repository
) -> bool:
    """Whether models that were chosen for another request are so for one that asks for the same.

    The request of the decision, which was made without them, has the words by which the other one
    names them: the motorbike that was chosen for "me on my motorbike" is none for "portrait of me
    in a suit". And it says nothing new of those that they were chosen in place of: rex, chosen for
    "my dog", is none for "my dog pip" or "my newest dog", and one with a beard is none for "without
    his beard". A model that no word names was chosen for all that asks for the same. Where
    Check-in takes the same ones anyway, only how they are used was chosen; that holds while the
    request is worded on.
    """
    request, place = decision.request, repository.catalogue().position_of
    found = (find(one.reference, repository.catalogue())[0] for one in chosen)
    theirs = [view.position for view in found if view]
    others = [place[card.id] for card in decision.cards if card.id in place]
    if {*theirs} == {*others} and not goes_on(request, other):
        return False
    now, before = _Said.of(request, repository), _Said.of(other, repository)
    chosen_cards = CardSelection(repository.catalogue(), np.array(theirs, np.int64))
    unwanted = (one for one in decision.constraints if one.negated)
    if any(len(one.keeps(chosen_cards)) < len(theirs) for one in unwanted):
        return False
    again = now.words_for(theirs)
    new = now.words_for(others) - before.words_for(others)
    return before.words_for(theirs) <= again and new <= again and now.demands <= before.demands


@dataclass(frozen=True)
class _Said:
    """What a request says of models."""

    intent: Intent
    segments: Sequence[GroundedSegment]

    @classmethod
    def of(cls, request: str, repository: Repository) -> _Said:
        vocabulary = vocabulary_of(repository.version, repository.catalogue)
        intent = parse(request, vocabulary, datetime.now(UTC))
        grounder = grounder_of(repository.version, repository.catalogue().columns)
        return cls(intent, grounder.ground(segments_of(intent.mentions)))

    @property
    def demands(self) -> set[str]:
        """What it says besides names: "v2", "in May", "newest", "flux"."""
        intent = self.intent
        of_builds = (intent.order, *intent.versions, *intent.times)
        bases = (intent.base_model, *intent.other_bases, *intent.unwanted_bases)
        return {one.words for one in of_builds if one} | {one for one in bases if one}

    def words_for(
        self, positions: list[int], least: float = _NAMES, elsewhere: float = _NAMES
    ) -> set[Phrase]:
        """The words that say models, those at `positions` of the catalogue: in its head from the
        strength `least` on.
        """
        return {
            ground.mention.phrase
            for segment in self.segments
            for enough in [least if segment.segment.part == "head" else elsewhere]
            for ground in segment.grounds
            if not ground.generic and (ground.strength[positions] >= enough).any()
        }


def _alike(one: Decision, other: Decision, repository: Repository) -> bool:
    if one.question and other.question:
        same = _said(one) == _said(other) and one.question.attribute == other.question.attribute
        asked, others = _asked_about(one.question), _asked_about(other.question)
        if not (same and asked & others):
            return False
        place = repository.catalogue().position_of
        of = [place[card] for card in asked | others]
        named = [
            _Said.of(each.request, repository).words_for(of, 0.0, _NAMES_BEHIND)
            for each in (one, other)
        ]
        return named[0] == named[1]
    models = _models_of(one)
    return models is not None and models == _models_of(other)


def _said(decision: Decision) -> list[tuple[str, str, bool]]:
    """What the request says of the models."""
    return [(each.kind, each.words, each.negated) for each in decision.constraints]


def _asked_about(question: Question) -> set[str]:
    return {card_id for choice in question.choices for card_id in choice.card_ids}


def _models_of(decision: Decision) -> tuple[object, ...] | None:
    """The models that a decision selects, or offers in place of one that it lacks."""
    if decision.cards:
        return tuple(card.id for card in decision.cards)
    near = tuple(one.card.id for one in decision.near)
    return (decision.why, *near) if near else None
