"""Where words in Japanese, Chinese and Korean letters stand in the names and notes of a library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...lexicon.languages import said_also
from ...lexicon.readings import Names, is_hangul

_FIRST_SIGN = "\u3041"
"""Words from this letter on are in such letters."""
_OF_PICTURES = frozenset("画畫風风感絵绘調调系图図")
"""What makes the word for a look of a word: 水墨画, 胶片感."""
_NAME, _PART_OF_NAME, _NOTED, _SAID = 1.0, 0.7, 0.9, 0.45
"""In a name; a name that begins or ends with it; a name that a note has; a word of a note."""


class InSigns:
    """Looks words in such letters up in the columns of a library."""

    def __init__(self, columns: Columns, identity: Iterable[str], names: Sequence[Names]) -> None:
        self._columns, self._names = columns, names
        self._identity = [one for one in identity if not one.isascii()]
        self._hangul = [one for one in self._identity if is_hangul(one)]
        self._notes = [one for one in columns.words.values if one >= _FIRST_SIGN]

    def of(self, word: str, known: bool) -> Array:
        """float32 [cards]: how much a word says about each card. One that no dictionary has (not
        `known`), and that a note has by itself, is a name.
        """
        columns = self._columns
        strength = np.zeros(len(columns.created_us), np.float32)
        for core in {word, word[:-1] if word[-1] in _OF_PICTURES else word}:
            if len(core) > 1:
                strength[columns.words.any_of(one for one in self._notes if core in one)] = _SAID
        strength[columns.words.cards_of(word)] = _SAID if known else _NOTED
        for core in {word, word[:-1] if word[-1] in _OF_PICTURES else word}:
            for value, names in ((_PART_OF_NAME, self._longer(core)), (_NAME, self._read_as(core))):
                strength[columns.identity.any_of(names)] = value
        return strength

    def in_hangul(self, word: str) -> set[str]:
        """The names in Hangul that a word in Latin letters writes: 두부 for "dubu"."""
        hangul = self._hangul if word.isascii() and word.isalpha() and len(word) > 2 else ()
        written = Names([word], "ko")
        short = (one for one in hangul if len(one) <= len(word))
        return {one for one in short if written.alike(one, usual=True)}

    def meant_also(self, word: str) -> set[str]:
        """The names that another Korean word for what a word means is written as: "jubang" for
        부엌, the kitchen. Kanji may be read in too many ways.
        """
        korean = next(names for names in self._names if names.code == "ko")
        return {one for other in said_also("ko", word) for one in korean.alike(other, usual=True)}

    def _longer(self, word: str) -> list[str]:
        """The words of names that begin or end with one of two signs or more: フィギュア風."""
        return [
            one
            for one in self._identity
            if 1 < len(word) < len(one) and (one.startswith(word) or one.endswith(word))
        ]

    def _read_as(self, word: str) -> list[str]:
        """The words of names that it is, or that it may be read as."""
        return [word, *(one for names in self._names for one in names.alike(word))]
