"""Names that stand side by side without a word between them: "jono red puffer"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...language.phrases import Mention
from ...language.segments import Segment
from ...lexicon import FUNCTION
from ...lexicon.english import word_set
from ...lexicon.spelling import is_english
from .spelt import A_NAME

_STEPS = re.compile(r"\d+step")
"""What names a LoRA for few steps: "jono 8 steps", but not of "lightning 8 steps"."""
PICTURES = word_set("words", "no looks")
"""Words that alone say only that there is a picture: "orsk, portrait", "anna photo"."""
_SHORT = 2
"""Letters of a word that is no name by itself."""
_LONGEST = 10
"""Words of the longest noun phrase that is cut: comparing names takes more than linear time."""


def cut_apart(
    segment: Segment, strengths: Sequence[Array], columns: Columns, generic: frozenset[str]
) -> Iterator[Segment]:
    """The segment, cut between the name of somebody and the name of another model.

    `strengths`: float32 [cards] of each of its words, as in `Ground`. On the one side stands all
    that a model is called; on the other a name of others, and none is called by both: moths_kitchen
    is one. A look stays with what is drawn in it ("ink bear"), unless it follows all that somebody
    is called ("kayla film look"). Behind the first thing that a request is about, only words for a
    picture are cut off ("fix hands on anna photo"). `generic`: words of names that do not count.
    """
    place = _cut(segment, strengths, columns, generic) if _may_be_cut(segment) else None
    if place is None:
        yield segment
        return
    yield replace(segment, words=segment.words[:place], look=False)
    rest = replace(segment, words=segment.words[place:])
    yield from cut_apart(rest, strengths[place:], columns, generic)


def _may_be_cut(segment: Segment) -> bool:
    if len(segment.words) > _LONGEST:
        return False
    owned = any(word.owner or word.possessive for word in segment.words[:-1])
    return not (segment.name or owned)


def _cut(
    segment: Segment, strengths: Sequence[Array], columns: Columns, generic: frozenset[str]
) -> int | None:
    named = [strength >= A_NAME for strength in strengths]
    styled = [word.style is not None for word in segment.words]
    for place in range(1, len(named)):
        before, after = named[place - 1], named[place]
        if (before & after).any():
            continue
        rest = {word.words for word in segment.words[place:]}
        if segment.part != "head" and not rest <= PICTURES:
            continue
        if after.any() and _STEPS.fullmatch(segment.words[place].words):
            return place
        left, right = (segment.words[:place], named[:place]), (segment.words[place:], named[place:])
        calls = after.any() and _calls_somebody(*left, columns, generic)
        if segment.look or any(styled):
            if calls and not any(styled[:place]):
                return place
            continue
        if calls or (before.any() and _calls_somebody(*right, columns, generic)):
            return place
    return None


def _calls_somebody(
    words: Sequence[Mention], named: Sequence[Array], columns: Columns, generic: frozenset[str]
) -> bool:
    """Whether words are all that a card is called, which is a being or has a strange name, or the
    strange word with which its name begins: pistacchio_cat; `named`: bool [cards] of each word.
    """
    cards = reduce(np.logical_and, named)
    strange = not all(is_english(word) for one in words for word in one.phrase)
    meant = cards if strange else cards & columns.kinds.any_of(("being",))
    said = {word for one in words for word in (*one.phrase, one.words)}
    names = (columns.called[one] for one in np.flatnonzero(meant).tolist())
    return any(
        {*name} - generic - FUNCTION <= said
        or (name[0] in said and len(name[0]) > _SHORT and not is_english(name[0]))
        for name in names
    )
