"""Rivals that only a small word of their names tells apart: "shed inside", "dogs all"."""

from __future__ import annotations

from collections.abc import Sequence

from ...catalog.facts import Columns
from ...language.phrases import Mention
from ...lexicon import DETERMINERS, NEGATIONS
from ...lexicon.english import rows, word_set

_TELLING = word_set("words", "telling apart")
_PLACES = rows("words", "told by its place")


def as_small_words_say(
    cards: Sequence[int], columns: Columns, mentions: Sequence[Mention]
) -> list[int]:
    """The positions of those cards that the small words of a request mean: without those whose
    names have one that it refuses ("not outside"), those whose names have one that it says, if any.
    """
    said, refused = set[str](), set[str]()
    no = False
    for mention in mentions:
        if mention.words in NEGATIONS:
            no = True
        elif mention.words in _TELLING:
            (refused if no else said).add(mention.words)
            no = False
        elif mention.words not in DETERMINERS:
            no = False
    names = {card: {*columns.called[card]} for card in cards}
    left = [card for card in cards if names[card].isdisjoint(refused)]
    meant = [card for card in left if names[card] & said]
    return meant or left or list(cards)


def as_its_place_says(
    cards: Sequence[int], columns: Columns, before: Sequence[Mention]
) -> list[int]:
    """The positions of those cards that the words `before` a place mean, if any, the nearest first:
    "in the shed" the shed inside, "in front of the shed" the shed outside.
    """
    said = next((_PLACES[one.words] for one in before if one.words in _PLACES), ())
    return [card for card in cards if {*columns.called[card]} & {*said}] or list(cards)
