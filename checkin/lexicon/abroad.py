"""Words for things in other languages, as people name files in their own and ask in English."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import chain

from .data import phrases_in, read
from .english import FOLDER
from .spelling import is_english, singular, stems
from .styles import STYLES
from .taxonomy import Phrase

_TABLES = ("names/*.yaml", "looks/*.yaml", "*/things.yaml", "*/trades.yaml", "*/looks.yaml")
_FLAT = ("names", "looks")
"""Folders of a file for each language, which has one group of words."""
_LOOKS = ("looks/*.yaml", "*/looks.yaml")
_GROUPS = ("thing", "look")
_NOT_LATIN = ("ja", "ko", "zh")
_TYPED = (
    str.maketrans({"ł": "l", "\u0131": "i", "ø": "o", "æ": "ae", "ß": "ss"}),
    str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa"}),
)
"""How people write letters in the names of files that are no English letter with an accent."""


Said = tuple[str, Phrase]
"""The code of a language, and words of it."""


@cache
def abroad(phrase: Phrase) -> frozenset[Said]:
    """The words of other languages for a thing, as they stand in the names of files.

    Without accents, in what English takes for the singular: {("pt", ("caneca",)), ("pl",
    ("kubek",)), ...} for ("mug",), ("pl", ("fotel", "bujany")) for ("rocking", "chair").
    """
    return frozenset(
        (code, named)
        for code, things in _languages().items()
        for one in things.get(phrase, ())
        for named in _in_names(one)
    )


@cache
def words_of(code: str) -> frozenset[str]:
    """The single words for things in a language, as they stand in the names of files."""
    things = _languages()[code].values()
    named = (words for one in chain(*things) if " " not in one for words in _in_names(one))
    return frozenset(word for (word,) in named)


def looks_in(words: Iterable[str]) -> tuple[Phrase, ...]:
    """The looks that words of a name are in other languages: ("watercolor",) for "aquarell"."""
    looks = _looks()
    return tuple(looks[one] for one in words if one in looks)


@cache
def _looks() -> dict[str, Phrase]:
    """Single word for a look in another language -> that look in English."""
    found: dict[str, Phrase] = {}
    for path in chain(*(sorted(FOLDER.parent.glob(one)) for one in _LOOKS)):
        if path.parent.name not in _NOT_LATIN:
            said = read(path)
            for look, words in (said if path.parent.name in _FLAT else said["look"]).items():
                named = (one for each in phrases_in(words) for one in _in_names(each))
                found |= {one: stems(look) for (one, *more) in named if not more}
    return {one: look for one, look in found.items() if look in STYLES and not is_english(one)}


def _in_names(words: str) -> list[Phrase]:
    named = [tuple(singular(word.translate(typed)) for word in words.split()) for typed in _TYPED]
    return [one for one in named if min(map(len, one)) > 2]


@cache
def _languages() -> dict[str, dict[Phrase, list[str]]]:
    found = defaultdict[str, dict[Phrase, list[str]]](lambda: defaultdict(list))
    for path in chain(*(sorted(FOLDER.parent.glob(one)) for one in _TABLES)):
        folder = path.parent.name
        if folder not in _NOT_LATIN:
            said = read(path)
            flat = folder in _FLAT
            code = path.stem if flat else folder
            groups = [said] if flat else [said.get(one, {}) for one in _GROUPS]
            for thing, words in chain(*(group.items() for group in groups)):
                found[code][stems(thing)] += phrases_in(words)
    return found
