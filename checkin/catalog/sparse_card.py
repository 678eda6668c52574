"""The sparse card: the words of a card that BM25 compares with a request.

They are its subjects, styles, triggers, version words and the words of its file name.
"""

from __future__ import annotations

import re

from ..lexicon.spelling import singular
from .cards import Card

_WORD = re.compile(r"v?\d+(?:\.\d+)+|[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of `text`, in lower case and singular; a decimal version stays whole.

    "<bear-v4>" gives bear and v4.
    """
    return [singular(word) for word in _WORD.findall(text.casefold())]


def sparse_card(card: Card) -> list[str]:
    """The words by which a card can be found, repeated as in its text."""
    name = card.name
    version = f"v{card.version} {card.version} version" if card.version else ""
    return words_of(" ".join((*card.subjects, *card.styles, *card.triggers, version, name)))
