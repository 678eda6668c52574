"""How words are spelt in a library: in another form or language, in part, or by mistake."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cached_property

import numpy as np

from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...catalog.file_names import without_base
from ...catalog.subject_key import Match
from ...language.phrases import Mention
from ...lexicon import (
    PICTURE_WORDS,
    STYLES,
    Phrase,
    with_hypernyms,
)
from ...lexicon.abroad import abroad, words_of
from ...lexicon.kin import KIN
from ...lexicon.readings import WITH_READINGS, Names, initials
from ...lexicon.spelling import closest, is_english
from ...lexicon.variants import variants, without_umlauts
from .in_signs import InSigns
from .other_names import OtherNames

FIELDS = {"captions": 0.3, "words": 0.45, "tags": 0.7, "kinds": 0.75, "identity": 1.0}
"""Column of words -> how much a word there says about what the model is, the weakest first."""
A_NAME = 0.9
"""From this strength on, a word is in the name of a model."""
_PART_OF_WORD = 0.7
_LEAST_BEFORE = 3
"""Letters before a word that ends a name, as a part of it: there is no rain in Thrain."""
_ENDING = 2
"""Letters that make another English word of one: "beard" of "bear"."""
_SMALL = 3
"""Letters of a word that says little beside others: "de" in "bata de cola"."""
_SYNONYM = 0.85
_MISTYPED, _MISTYPED_NAME = 0.8, 0.9
"""A word that is probably one of the library; that is probably all that a model is called."""
_LEAST_UMLAUTED = 4
"""Letters of a name that may have umlauts in two letters."""
_LEAST_WORDS = 3
"""How many words of another language show that the library has names in it."""
_PIECE = 3
"""Letters of each word of a name that together are an English word."""
_KIN, _ABROAD = 0.8, 0.9
"""Another word for the same relative; the word of another language for the same thing."""
_STYLE, _RELATED = 0.85, 0.5
"""A style of the request that is the card's; that is near the card's, as there is no other."""
_SUBJECT, _BROADER = 0.95, 0.5
"""A subject of the request that is the card's; that the card says in a broader word, "animal"."""


class Spelling:
    """Looks words up in the columns of a library, however they are spelt there."""

    def __init__(self, columns: Columns):
        self._columns, self._cards = columns, len(columns.created_us)
        self._identity = sorted(
            value for value in columns.identity.values if not value.isdigit() and len(value) > 1
        )
        self._spoken: dict[str, bool] = {}
        self._joined = "\n" + "\n".join(self._identity) + "\n"
        self._short = [
            value for value in self._identity if 3 <= len(value) <= 4 and not is_english(value)
        ]

    def of_mention(self, mention: Mention) -> tuple[Array, set[str]]:
        """float32 [cards], and the words of the library that were found."""
        columns = self._columns
        spelt: set[str] = set()
        parts = []
        for word in mention.phrase if mention.kind != "word" else (mention.phrase[0],):
            typed = mention.words if len(mention.phrase) == 1 else word
            is_translated = bool(mention.typed) and word not in mention.typed
            strength, found = self.of_word(word, typed, may_be_mistyped=not is_translated)
            parts.append(strength)
            spelt |= found
        whole: Array = np.mean(np.stack(parts), axis=0)
        if len(parts) > 1:  # "moth boy", of mothboy_xl
            whole = np.maximum(whole, self.cards_called("".join(mention.phrase)))
        for words in self._abroad(mention.phrase if len(parts) > 1 else ()):
            np.maximum(whole, _ABROAD * self._called_all(words), out=whole)
            spelt |= {*words}
        if mention.typed:
            said = [one for one in mention.typed if len(one) > _SMALL] or [*mention.typed]
            whole = np.maximum(whole, np.min([self.as_it_is(one) for one in said], 0))
            spelt |= {*mention.typed}
            for one in self._alike(mention.typed[0]) if len(mention.typed) == 1 else ():
                np.maximum(whole, self.cards_called(one), out=whole)
                spelt.add(one)
        if len(mention.typed) == 1 and not mention.typed[0].isascii():
            known = mention.phrase != mention.typed
            whole = np.maximum(whole, self._in_signs.of(mention.typed[0], known))
            for one in self._in_signs.meant_also(mention.typed[0]):
                np.maximum(whole, _ABROAD * self.cards_called(one), out=whole)
                spelt.add(one)
        if mention.subject:
            broader = any(key.match is Match.EXACT for key in mention.subject)
            is_one = np.maximum(whole, _BROADER if broader else _SUBJECT)
            whole = np.where(columns.subjects.any_of(mention.subject), is_one, whole)
        if mention.style:
            is_one = np.maximum(whole, _RELATED if _is_related(mention) else _STYLE)
            whole = np.where(columns.styles.any_of(mention.style), is_one, whole)
        return self._no_food(mention, whole, spelt).astype(np.float32), spelt

    def _no_food(self, mention: Mention, strength: Array, spelt: set[str]) -> Array:
        """Without beings that are food by their names alone: no cookie is a cat called Biscuit."""
        if ("food",) not in with_hypernyms(mention.phrase):
            return strength
        called = np.max([self.cards_called(one) for one in spelt], 0)
        return np.where(self._also.beings & (called < A_NAME), 0, strength)

    def of_word(
        self, word: str, typed: str, may_be_mistyped: bool = True
    ) -> tuple[Array, set[str]]:
        """As `of_mention`, of one word, and as it was typed."""
        strength, spelt = self._called(word, typed)
        for one in _synonyms(word):
            own = self.as_it_is(one)
            np.maximum(strength, np.where(own >= 0.6, _SYNONYM * own, 0), out=strength)
        for part in self._around(word) if word not in PICTURE_WORDS else ():
            own = self.cards_called(part)
            ends = part.endswith(word) and len(part) - len(word) >= _LEAST_BEFORE
            factor = _PART_OF_WORD if part.startswith(word) or ends else 0.4
            if (part in self._short and word.startswith(part)) or part == _as_singular(word):
                factor = _PART_OF_WORD
            np.maximum(strength, factor * own, out=strength)
            if factor == _PART_OF_WORD:
                spelt.add(part)
        for number, pieces in self._glued.get(without_base(word), ()):
            strength[self._columns.called.codes == number] = 1.0
            spelt |= pieces
        if len(word) >= 4 and is_english(word):
            if near := self._swapped(word):
                np.maximum(strength, _MISTYPED * self.as_it_is(near), out=strength)
                spelt.add(near)
        elif len(word) >= 4 and may_be_mistyped and not strength.any():
            near = closest(word, self._identity)
            if near:
                strength, spelt = _MISTYPED * self.as_it_is(near), {word, near}
                whole = self._columns.called.where(lambda name: name == (near,))
                strength[whole] = _MISTYPED_NAME
        return strength, spelt

    def _swapped(self, word: str) -> str | None:
        """The name that is a word with two letters in the wrong order: chisle_set, for "chisel"."""
        swapped = (
            word[:place] + word[place + 1] + word[place] + word[place + 2 :]
            for place in range(1, len(word) - 1)
        )
        named = self._columns.identity.values_set
        return next((one for one in swapped if one in named and not is_english(one)), None)

    def _called(self, word: str, typed: str) -> tuple[Array, set[str]]:
        """As `of_word`, by the word's other spellings, languages and relatives alone."""
        strength: Array = np.zeros(self._cards, np.float32)
        spelt = {word}
        for weight, others in (
            (1.0, variants(word) | variants(typed) | {without_base(word)}),
            (1.0, self._umlauted.get(without_umlauts(word), set()) - {word}),
            (_ABROAD, self._alike(word)),
            (_KIN, KIN.get(word, frozenset())),
            (_ABROAD, self._abbreviated(word)),
        ):
            for one in others:
                np.maximum(strength, weight * self.as_it_is(one), out=strength)
            spelt |= others
        for named in self._abroad((word,)):
            np.maximum(strength, _ABROAD * self._called_all(named), out=strength)
            spelt |= {*named}
        return strength, spelt

    def _abbreviated(self, word: str) -> set[str]:
        """The names that are the initials of a word in pinyin that others are called by: "xw" for
        xiaowen. One of two letters only where the library has both.
        """
        short = initials(word) & self._first_words if word.isascii() and word.isalpha() else set()
        return {one for one in short if len(one) > 2 or word in self._first_words}

    @cached_property
    def _umlauted(self) -> dict[str, set[str]]:
        """Name without umlauts -> that name as the library writes it: "kruemel" and "krumel"."""
        found = defaultdict[str, set[str]](set)
        for value in self._identity:
            if len(value) >= _LEAST_UMLAUTED and not is_english(value):
                found[without_umlauts(value)].add(value)
        return {name: values for name, values in found.items() if values != {name}}

    @cached_property
    def _first_words(self) -> set[str]:
        return {name[0] for name in self._columns.called.values if name}

    def _alike(self, word: str) -> set[str]:
        """The names of the library that are written in Latin letters in another way, or that a word
        in signs may be read as: "kotetu" for "kotetsu". None for a Latin word that is there itself.
        """
        if word.isascii() and (word in self._columns.identity.values_set or is_english(word)):
            return set()
        alike = {one for names in self._names for one in names.alike(word)}
        return alike | self._in_signs.in_hangul(word)

    def _abroad(self, phrase: Phrase) -> list[Phrase]:
        """What stands in names for a thing, in other languages in which the library has names."""
        known = self._columns.identity.values_set
        return [
            words
            for code, words in abroad(phrase)
            if known >= {*words} and not _is_english(words) and self._speaks(code)
        ]

    def _speaks(self, code: str) -> bool:
        """Whether some names are in a language: one word may be a person's, as Luna and Pia are."""
        if code not in self._spoken:
            words = words_of(code)
            here = sum(one in words and not is_english(one) for one in self._identity)
            self._spoken[code] = here >= _LEAST_WORDS
        return self._spoken[code]

    def _around(self, word: str) -> list[str]:
        """Names in which the word stands: "kraken" in "krakenlore", "tex" for "texture"."""
        if len(word) < 4:
            return []
        found = [short for short in self._short if word.startswith(short)] if len(word) > 4 else []
        found += [_as_singular(word)] if word.endswith("ie") else []
        if self.cards_called(word).any():
            return found
        at, plain = self._joined.find(word), is_english(word)
        while at >= 0:
            start, end = self._joined.rfind("\n", 0, at) + 1, self._joined.find("\n", at)
            inflected = plain and at == start and end - start - len(word) <= _ENDING
            if not (inflected and is_english(self._joined[start:end])):
                found.append(self._joined[start:end])  # but no "beard" for "bear"
            at = self._joined.find(word, end)
        return found

    @cached_property
    def _in_signs(self) -> InSigns:
        return InSigns(self._columns, self._identity, self._names)

    @cached_property
    def _names(self) -> list[Names]:
        latin = [one for one in self._identity if one.isascii() and not is_english(one)]
        return [Names(latin, code) for code in WITH_READINGS]

    @cached_property
    def _glued(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        """Two or three words of a name as one -> the names: "realvis" for RealVisXL, but no "stage"
        for StS_Age_Slider.
        """
        found = defaultdict[str, list[tuple[int, frozenset[str]]]](list)
        for number, name in enumerate(self._columns.called.values):
            for first, end in itertools.combinations(range(len(name) + 1), 2):
                if 2 <= end - first <= 3:
                    pieces = name[first:end]
                    word = "".join(pieces)
                    if min(map(len, pieces)) >= _PIECE or not is_english(word):
                        found[word].append((number, frozenset(pieces)))
        return found

    def as_it_is(self, word: str) -> Array:
        """float32 [cards]: how much a word says about each card, in this spelling alone."""
        strength = np.zeros(self._cards, np.float32)
        for name, value in FIELDS.items():
            strength[getattr(self._columns, name).cards_of(word)] = value
        strength[self._also.cards(word)] = 1.0
        if word == "me":  # whom a folder of them may say
            strength[self._columns.tags.cards_of(word)] = 1.0
        return strength

    def names_of(self, card: int) -> list[Phrase]:
        """What a card is called, and what others of whom or what it is of are."""
        return self._also.names_of(card)

    @cached_property
    def _also(self) -> OtherNames:
        return OtherNames(self._columns)

    def numbered_otherwise(self, word: str, number: str) -> Array:
        """Bool [cards]: which have a word with another number than a request: "class 66" and
        class08.
        """
        named = self._columns.identity
        numbered = [one for one in self._numbered.get(word, ()) if one != f"{word}{number}"]
        return named.any_of(numbered) & ~named.any_of([number, f"{word}{number}"])

    @cached_property
    def _numbered(self) -> dict[str, list[str]]:
        """Word -> that word with each of the numbers that it has in names: "class" -> class08."""
        found = defaultdict[str, list[str]](list)
        for value in self._identity:
            if (word := value.rstrip("0123456789")) and word != value:
                found[word].append(value)
        return found

    def _called_all(self, words: Phrase) -> Array:
        """As `cards_called`, where all of some words are."""
        return np.min([self.cards_called(one) for one in words], 0)

    def cards_called(self, word: str) -> Array:
        """float32 [cards]: 1 where a word is in the name, a trigger or a subject."""
        strength = np.zeros(self._cards, np.float32)
        strength[self._columns.identity.cards_of(word)] = 1.0
        strength[self._also.cards(word)] = 1.0
        return strength


def _is_english(words: Phrase) -> bool:
    return all(map(is_english, words))


def _as_singular(word: str) -> str:
    """What the names of a library have for "evies", where a word is "evie": "evy"."""
    return f"{word[:-2]}y"


def _is_related(mention: Mention) -> bool:
    """Whether a style of the request is only near those of the library that it stands for."""
    known = STYLES.get(mention.phrase, ())[:1]
    return bool(known) and not {mention.phrase, *known} & (mention.style or frozenset())


def _synonyms(word: str) -> set[str]:
    """Other single words for the style that a word names."""
    canonical = STYLES.get((word,), ())[:1]
    return {
        phrase[0]
        for phrase, keys in STYLES.items()
        if canonical and len(phrase) == 1 and keys[:1] == canonical and phrase != (word,)
    }
