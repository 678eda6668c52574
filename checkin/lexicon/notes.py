"""What notes in other languages speak of, in English."""

from __future__ import annotations

import re
from functools import cache

from .english import one_of
from .kin import RELATIVES
from .languages import dictionary
from .spelling import is_english, split, stems

_RUN = re.compile("[\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]+")
_LINK = re.compile("[\u306e\u7684\u3068\u548c]")
"""What joins two words: の, 的, と, 和."""
_CODES = (("ja", re.compile("[\u3041-\u30fa]")), ("ko", re.compile("[\uac00-\ud7a3]")))


_ALPHABETIC = ("de", "es", "fr")
_BEGINNING = 60
"""Letters of a note that say what it is of."""
_OF_MINE = re.compile(
    rf"(?<!\w){one_of('kin', 'mine')}\s+(?P<who>(?:\w+\s+)?\w+)(?!['\u2019]s?\b|\w)", re.IGNORECASE
)
"""Not "my sister's cat"."""
_FIRST = re.compile(r"\W*(?P<who>[^\W\d_]+)\s*(?:[,.;:(/]|[-\u2013]\s|$)")
"""A note that begins with who it is of: "maman, trigger agnsm"."""
_SHORT = {"gf": "girlfriend", "bf": "boyfriend"}
_LEAST_WORDS = 2
"""How many words show that a note is in a language."""


def things_in(text: str) -> tuple[str, ...]:
    """The things that a note names in words of their own: "cockatiel" of "ピノ オカメインコ",
    "sister" of "meine Schwester".
    """
    words = [word for run in _RUN.findall(text) for word in (run, *_LINK.split(run))]
    return tuple(dict.fromkeys(filter(None, (*map(_thing, words), *_alphabetic(text)))))


def relatives_in(text: str) -> frozenset[str]:
    """The relatives that the beginning of a note says its model is of: "sister" of "my sister",
    "meine Schwester", "mi hermana", "maman, trigger agnsm".
    """
    said = _OF_MINE.search(text[:_BEGINNING]) or _FIRST.match(text)
    if not said:
        return frozenset()
    mine = said["who"].casefold()
    names = {*stems(mine), *things_in(said[0])}
    names |= {full for short, full in _SHORT.items() if short in names}
    return frozenset(names & RELATIVES)


def _alphabetic(text: str) -> list[str]:
    """The things of a note in Latin letters, but for English words, in the language of which it has
    most.
    """
    words = [one.text for one in split(text)]
    found: list[str] = []
    for entries in (dictionary(code).entries for code in _ALPHABETIC):
        if sum(one in entries for one in words) >= _LEAST_WORDS:
            known = [entries[one] for one in words if one in entries and not is_english(one)]
            found = max(found, [one.english for one in known if one.kind == "thing"], key=len)
    return found


@cache
def _thing(word: str) -> str:
    """The English of a word that is a thing; "" for any other. Kanji may be of two languages."""
    codes = [code for code, letters in _CODES if letters.search(word)] or ["zh", "ja"]
    entries = (dictionary(code).entries.get(word) for code in codes)
    return next((one.english for one in entries if one and one.kind == "thing"), "")
