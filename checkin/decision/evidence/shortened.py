"""Names that are shortened: lun_verd for "traje verde de lunares", bdc for "bata de cola".

A name begins as the words do that people say, has their consonants alone, or the first letters of
some that follow each other. Pieces of one name support each other; what a piece is short for, some
model may tell in full.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...lexicon.spelling import is_english

_ALONE, _SUPPORTED = 0.7, 0.9
"""What a shortened word says alone; beside another word of the same name, as several in one, or
where a model tells it in full."""
_LEAST, _MOST, _LONGEST = 3, 5, 12
"""Letters of a shortened word; the most of several words in one."""
_LEFT_OUT = 2
"""Letters that a word leaves out at least that is found alone: "leo" is not "leon"."""
_MOST_WORDS = 4
"""The most words in one."""
_VOWELS = frozenset("aeiou")
_INITIALS = 3
"""Of so many words, each may be shortened to one letter."""


class Shortened:
    """Looks for the shortened words of a library's names."""

    def __init__(self, columns: Columns):
        self._columns, self._cards = columns, len(columns.created_us)
        self._by_letter = defaultdict[str, list[str]](list)
        for value in columns.identity.values:
            if value.isascii() and value.isalpha() and _LEAST <= len(value) <= _LONGEST:
                self._by_letter[value[0]].append(value)

    def of(
        self, phrases: Sequence[Sequence[str]], named: Sequence[Array], english: bool = True
    ) -> list[tuple[Array, set[str]]]:
        """float32 [cards] for each phrase, and the words of the library that are short for it.

        `phrases`: the words of each, in order; `named`: bool [cards] of each, which cards are
        called so; `english`: whether that is the language of the request.
        """
        words = [(word, at) for at, phrase in enumerate(phrases) for word in phrase]
        short, sure, clear, known = np.zeros((4, len(phrases), self._cards), bool)
        found: list[set[str]] = [set() for _ in phrases]
        for first, (word, at) in enumerate(words):
            for piece in self._by_letter.get(word[:1], ()):
                if _is_short_for(piece, word):
                    cards = self._columns.identity.cards_of(piece)
                    short[at, cards] = True
                    sure[at, cards] |= not is_english(piece)
                    if len(word) - len(piece) >= _LEFT_OUT:
                        clear[at, cards] = True
                        is_other_word = english and is_english(piece)  # no tail of "pony"
                        known[at, cards] |= not is_other_word and self._is_told(cards, word)
                    found[at].add(piece)
                elif count := _words_in(piece, words[first : first + _MOST_WORDS]):
                    for place in {place for _, place in words[first : first + count]}:
                        known[place, self._columns.identity.cards_of(piece)] = True
                        found[place].add(piece)
        told = np.array(named, bool).reshape(short.shape)
        supported = known | (short & _elsewhere(sure | told)) | (sure & _elsewhere(short))
        alone = sure & clear & ~told.any(1, keepdims=True)
        strengths = np.where(supported, _SUPPORTED, np.where(alone, _ALONE, 0)).astype(np.float32)
        return [*zip(strengths, found, strict=True)]

    def _is_told(self, cards: Array, word: str) -> bool:
        """Whether some cards, which have a shortened word, tell it in full in other places."""
        columns = self._columns
        told = (columns.identity, columns.captions)
        return any(np.isin(cards, one.cards_of(word)).any() for one in told)


def _elsewhere(has: Array) -> Array:
    """Bool [phrases, cards]: whether another phrase has it."""
    return (has.sum(0) - has) > 0


def _is_short_for(piece: str, word: str) -> bool:
    """Whether a piece of a name is a word's beginning, or its first letter and consonants, some of
    its vowels left in: wtrcolr.
    """
    if not word.isalpha() or len(piece) >= len(word):
        return False
    if len(word) - len(piece) >= _LEFT_OUT and _without_vowels(piece, word):
        return True
    if len(piece) > _MOST:
        return False
    return word.startswith(piece) or (word[0] + _consonants(word)).startswith(piece)


def _without_vowels(piece: str, word: str) -> bool:
    if _consonants(piece) != _consonants(word):
        return False
    letters = iter(word)
    return all(letter in letters for letter in piece)


@lru_cache(maxsize=1 << 14)
def _consonants(word: str) -> str:
    """Its consonants behind the first letter."""
    return "".join(one for one in word[1:] if one not in _VOWELS)


def _words_in(piece: str, run: Sequence[tuple[str, int]]) -> int:
    """How many words are shortened to a piece of a name, the beginning of each in turn; 0 for none:
    "bata de cola" to "bdc", "mari carmen" to "mcarmen", "peineta flores" to "peinflor".

    `run`: (word, which phrase it is of). Words of one phrase may be shortened to a letter each.
    """
    if is_english(piece):
        return 0
    words = [word for word, _ in run]
    for count in range(2, len(words) + 1):
        of_one = run[0][1] == run[count - 1][1]
        for parts in _beginnings(piece, words[:count]):
            long = len(parts[0]) >= _LEAST or parts[1] == words[1]
            if (of_one and count >= _INITIALS) or (long and min(map(len, parts[1:])) >= _LEAST):
                return count
    return 0


def _beginnings(piece: str, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The ways to cut a piece into beginnings of some words, one for each."""
    if not words:
        if not piece:
            yield ()
        return
    for end in range(1, len(piece) + 1):
        if not words[0].startswith(piece[:end]):
            return
        for others in _beginnings(piece[end:], words[1:]):
            yield (piece[:end], *others)
