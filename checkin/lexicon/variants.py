"""Other spellings of one word: British and American, numbers as words, endings, abbreviations."""

from __future__ import annotations

import re
from functools import lru_cache

from .english import rows
from .numbers import CARDINALS

_SHORT = {word: other for word, (other,) in rows("spelling", "variants").items()}


_UMLAUT = re.compile(r"(?<![aeiouq])([aou])e")


def without_umlauts(word: str) -> str:
    """A name whose umlauts are written in two letters, as it is without them: "krumel" of
    "kruemel".
    """
    return _UMLAUT.sub(r"\1", word)


@lru_cache(maxsize=20000)
def variants(word: str) -> frozenset[str]:
    """The word and its other spellings."""
    found = {word}
    if len(word) > 4:
        found.add(word.replace("our", "or"))
    if word.endswith("y"):
        found.add(f"{word[:-1]}ie")
    if word in _SHORT:
        found.add(_SHORT[word])
    if word in CARDINALS:
        found.add(str(CARDINALS[word]))
    return frozenset(found)
