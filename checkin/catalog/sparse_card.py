"""The sparse card: the words by which ranking by words finds a card (subjects, styles, triggers,
version words, words of the file name).
"""

from __future__ import annotations

import re
from pathlib import PurePath

from ..lexicon.spelling import singular
from .cards import Card

_WORD = re.compile(r"v?\d+(?:\.\d+)+|[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of `text`, lower case and singular: "<bear-v4>s" gives bear, v4; a decimal version
    stays whole.
    """
    return [singular(word) for word in _WORD.findall(text.casefold())]


def sparse_card(card: Card) -> list[str]:
    """The words by which a card can be found, repeated as in its text."""
    name = PurePath(card.path).stem if card.path else card.id
    version = f"v{card.version} {card.version} version" if card.version else ""
    return words_of(" ".join((*card.subjects, *card.styles, *card.triggers, version, name)))
