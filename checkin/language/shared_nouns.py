"""Whose a noun is that names several models: "a realistic bear and a cartoon bear" has one each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter

from ..catalog.cards import Card
from ..lexicon.spelling import split
from .origins import Span
from .subject_nouns import inside, subject_nouns

Told = Mapping[str, Sequence[str]]
"""Id of a card -> the words of the request that it stands for."""
_NEAR = 2
"""Words before a noun that tell whose it is."""
_STOP = re.compile(r"[,.;:!?\n]")


def nouns_of_others(text: str, card: Card, cards: Sequence[Card], told: Told) -> list[Span]:
    """Where a noun that names the card stands for another one, whose words are right before it."""
    own = {*told.get(card.id, ())}
    found = []
    there = split(text)

    @cache
    def nouns_of(place: int) -> list[Span]:
        return [noun[:2] for noun in subject_nouns(text, cards[place], [])]

    for start, end, _ in subject_nouns(text, card, []):
        at = bisect_left(there, start, key=attrgetter("start"))
        near = there[max(0, at - _NEAR) : at]
        phrase = [word for word in near if not _STOP.search(text, word.start, start)]
        before = {form for word in phrase for form in (word.text, word.stem)}
        for place, other in enumerate(cards):
            theirs = {*told.get(other.id, ())}
            if before & (theirs - own) and not before & (own - theirs):
                found += [(start, end)] if inside((start, end), nouns_of(place)) else []
    return found
