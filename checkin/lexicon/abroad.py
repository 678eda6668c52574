"""Words for things in other languages, as people name files in their own and ask in English."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from .data import phrases_in, read
from .english import FOLDER
from .spelling import singular, stems
from .taxonomy import Phrase

_TABLES = ("names/*.yaml", "*/things.yaml")
_NOT_LATIN = ("ja", "ko", "zh")
_TYPED = (
    str.maketrans({"ł": "l", "\u0131": "i", "ø": "o", "æ": "ae", "ß": "ss"}),
    str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa"}),
)
"""How people write letters in the names of files that are no English letter with an accent."""


def abroad(phrase: Phrase) -> frozenset[str]:
    """The words of other languages for a thing, as they stand in the names of files.

    Without accents, in what English takes for the singular: {"caneca", "kubek", ...} for ("mug",).
    """
    return _words().get(phrase, frozenset())


@cache
def _words() -> dict[Phrase, frozenset[str]]:
    found = defaultdict[Phrase, set[str]](set)
    for english, words in _lines():
        for word in words:
            if " " not in word and len(word) > 2:
                found[stems(english)].update(singular(word.translate(typed)) for typed in _TYPED)
    return {english: frozenset(words) for english, words in found.items()}


def _lines() -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern in _TABLES:
        for path in sorted(FOLDER.parent.glob(pattern)):
            if path.parent.name in _NOT_LATIN:
                continue
            said = read(path)
            for english, words in said.get("thing", said).items():
                yield english, phrases_in(words)
