"""Words for things in other languages, as people name files in their own and ask in English."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import chain

from .data import phrases_in, read
from .english import FOLDER
from .spelling import singular, stems
from .taxonomy import Phrase

_TABLES = ("names/*.yaml", "*/things.yaml", "*/trades.yaml")
_NOT_LATIN = ("ja", "ko", "zh")
_TYPED = (
    str.maketrans({"ł": "l", "\u0131": "i", "ø": "o", "æ": "ae", "ß": "ss"}),
    str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa"}),
)
"""How people write letters in the names of files that are no English letter with an accent."""


@cache
def abroad(phrase: Phrase) -> frozenset[Phrase]:
    """The words of other languages for a thing, as they stand in the names of files.

    Without accents, in what English takes for the singular: {("caneca",), ("kubek",), ...} for
    ("mug",), ("fotel", "bujany") for ("rocking", "chair").
    """
    named = (
        tuple(singular(word.translate(typed)) for word in one.split())
        for one in _words().get(phrase, ())
        for typed in _TYPED
    )
    return frozenset(one for one in named if min(map(len, one)) > 2)


@cache
def _words() -> dict[Phrase, list[str]]:
    english = defaultdict[str, list[str]](list)
    for path in chain(*(sorted(FOLDER.parent.glob(one)) for one in _TABLES)):
        if path.parent.name not in _NOT_LATIN:
            said = read(path)
            for thing, words in said.get("thing", said).items():
                english[thing] += phrases_in(words)
    found = defaultdict[Phrase, list[str]](list)
    for thing, words in english.items():
        found[stems(thing)] += words
    return found
