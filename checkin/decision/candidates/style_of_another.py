"""A style by which a model of a thing is called, asked for with another thing."""

from __future__ import annotations

from collections.abc import Sequence

from ...catalog.facts import Columns
from ...lexicon.spelling import stems
from ..evidence.grounder import Ground
from .grounded import Grounded


def says_style_alone(columns: Columns, words: Sequence[Ground], card: int) -> bool:
    """Whether words say a style alone, and the model is called by a thing that has this style:
    dog_watercolour is not meant by "a taxi in watercolour".
    """
    if columns.look[card] or not all(one.mention.kind == "style" for one in words):
        return False
    things = {stem for subject in columns.raw_subjects[card] for stem in stems(subject)}
    said = {stem for one in words for stem in one.mention.phrase}
    return bool(things & {*columns.called[card]} - said)


def without_styles_of_others(case: Grounded, cards: Sequence[int]) -> tuple[int, ...]:
    """The cards without those of another thing, which have only the style of what is asked for."""
    if not (case.intent.subject or case.intent.details):
        return tuple(cards)
    grounds = [one for segment in case.segments for one in segment.grounds]

    def has_style_alone(card: int) -> bool:
        words = [one for one in grounds if one.strength[card] > 0]
        return bool(words) and says_style_alone(case.left.columns, words, card)

    return tuple(card for card in cards if not has_style_alone(card))
