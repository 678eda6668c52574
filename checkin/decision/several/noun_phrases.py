"""The noun phrases of a request, each with the models that it may stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...catalog.columns import Array
from ...language.intent import Intent, Term
from ...lexicon import PICTURE_WORDS
from ..candidates.grounded import Grounded
from ..candidates.style_of_another import says_style_alone
from ..evidence.features import Candidates, candidates
from ..evidence.grounder import Ground, GroundedSegment
from ..evidence.likelihood import probability
from .part_features import (
    is_aside,
    is_eaten,
    kinds_of,
    part_features,
    says_another_thing,
)

_LEAST = 0.4
"""The least strength of a word that may name a model."""


@dataclass
class NounPhrase:
    """A noun phrase, decided as a request of its own."""

    place: int
    """Which of the segments of the request it is."""
    segment: GroundedSegment
    words: Sequence[Ground]
    """The words of it that say which model is meant."""
    alone: Grounded
    found: Candidates
    looks: Array
    """Bool [candidates]: whether each is a look."""
    order: Array
    """int: the candidates, the likeliest first."""
    shares: Array
    """Float [candidates]: how likely each is meant, if the phrase stands for one of them."""

    def features(self, case: Grounded) -> Array:
        """Float [PART_NAMES]: what says whether it stands for its likeliest candidate."""
        return part_features(case, self.alone, self.segment, self.words, self.place, self.order)


def noun_phrases(case: Grounded, only: int | None = None) -> Iterator[NounPhrase]:
    """The noun phrases of a request for which there are candidates, in order; the one at the place
    `only`, if it is given.
    """
    for place, segment in enumerate(case.segments):
        if only not in (None, place):
            continue
        words = [one for one in segment.grounds if not one.generic or one.mention.style]
        if max((one.best for one in words), default=0.0) < _LEAST:
            continue
        alone = _alone(case, segment)
        if alone.found is None:
            continue
        looks = alone.left.columns.look.where(bool)[alone.found.cards]
        order = np.argsort(-alone.odds, kind="stable")
        if segment.segment.look and looks.any():  # "drawn by evie" means her drawings, not her
            order = order[looks[order]]
        card = int(alone.found.cards[order[0]])
        being = bool(case.left.columns.kinds.any_of(("being",))[card])
        name = case.left.catalogue.cards[card].name.casefold()
        aside = (
            is_aside(case, segment.segment, words)
            or (being and is_eaten(case, segment.segment))
            or says_style_alone(case.left.columns, words, card)
            or _says_picture_alone(segment, words, card)
        )
        if not aside and not says_another_thing(segment, words, card, being, name):
            shares = probability(alone.odds) / probability(alone.odds).sum()
            yield NounPhrase(place, segment, words, alone, alone.found, looks, order, shares)


def _says_picture_alone(segment: GroundedSegment, words: Sequence[Ground], card: int) -> bool:
    """Whether a card has a phrase only in its word for a picture: amateurphoto, "family photo"."""
    met = [one.mention.words in PICTURE_WORDS for one in words if one.strength[card] > 0]
    return not segment.segment.look and all(met) and len(met) < len(segment.segment.words)


def _alone(case: Grounded, segment: GroundedSegment) -> Grounded:
    """One segment as a request of its own."""
    look = segment.segment.look
    alone = segment if look else replace(segment, segment=replace(segment.segment, part="head"))
    intent = _intent_of(case.intent, segment)
    found = candidates([alone], case.left, intent, case.grounder)
    return replace(case, intent=intent, segments=(alone,), found=found)


def _intent_of(intent: Intent, segment: GroundedSegment) -> Intent:
    """What an intent says of one segment."""
    words = {word for one in segment.segment.words for word in one.words.split()}
    subject = intent.subject
    own = [one for one in segment.segment.words if kinds_of(one)]
    if own and not segment.segment.look:  # of "a bear and a dog", the subject is both
        subject = Term(own[-1].words, own[-1].subject)
    styles = [one for one in intent.styles if words & {*one.words.split()}]
    if not styles:  # of "a cartoon bear beside my dog" the dog is the subject, and has no style
        said = [one for one in segment.segment.words if one.kind == "style"]
        styles = [Term(one.words, one.style or frozenset()) for one in said]
    return replace(
        intent,
        subject=subject if subject and words & {*subject.words.split()} else None,
        styles=tuple(styles),
        others=(),
        preferred=(),
        names=(),
        missing=None,
        kind=None,
    )
