"""Words of a request: splitting, singulars, and typing errors."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from simplemma import is_known

from .english import any_of, rows
from .text import without_accents

_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
_PIECE = re.compile(
    r"(?<![^\W\d_])[Oo]['\u2019][^\W\d_]{3,}|[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|[A-Z]"
)
"""A word of a name that may be glued to the next: "o'brien", "my" and "Corgi" of myCorgi."""
_INSIDE = re.compile(r"(?<=[^\W\d_]{2})['\u2019](?=[^\W\d_]{3})")
"""An apostrophe inside a name, which people leave out: "zha'keth", but neither "o'brien" nor
"don't".
"""
_FIRST_SIGN = "\u3041"
_CURLY = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"}
)
_LOOKS_ALIKE = 0.66
"""From this share of common letters on, two words look alike."""
_SMALL, _MOST_SMALL = 3, 2
"""The most letters of a small word, and how many of them may stand between two words."""
_MOST_TOGETHER = 12
"""More words are not looked for where they were written."""
_BARE = {
    (word + ending).replace("'", ""): word + ending
    for ending, words in rows("spelling", "apostrophes").items()
    for word in words
}
_NO_APOSTROPHE = re.compile(rf"\b{any_of(_BARE)}\b", re.IGNORECASE)
_IRREGULAR = {plural: one for plural, (one,) in rows("spelling", "plurals").items()}


@dataclass(frozen=True)
class Word:
    """One word of a text.

    `text` is as typed, in lower case and without a possessive ending or an apostrophe inside a
    name; `stem` is its singular;
    `start` and `end` are its offsets in the text.
    """

    text: str
    stem: str
    start: int
    end: int
    possessive: bool = False


def plain(text: str) -> str:
    """The text in lower case with straight quotes and hyphens.

    Every character stays at its position.
    """
    if text.isascii():
        return text.lower()
    lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered.translate(_CURLY)


def with_apostrophes(text: str) -> str:
    """The text with those that people leave out: "don't" for "dont"."""
    return _NO_APOSTROPHE.sub(lambda bare: _BARE[bare[0].lower()], text)


@lru_cache(maxsize=20000)
def singular(word: str) -> str:
    """The singular of an English noun in lower case; other words come back unchanged.

    Latin letters lose their accents, as people type names: "zoe" for "zoë".
    """
    word = without_accents(word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1]


def split(text: str) -> list[Word]:
    """The words of a text in order.

    Hyphens and underscores separate words; "bear's" gives "bear", possessive.
    """
    found = []
    for match in _WORD.finditer(plain(text)):
        typed = match.group()
        possessive = typed.endswith("'s")
        word = _INSIDE.sub("", typed.removesuffix("'s"))
        found.append(Word(word, singular(word), match.start(), match.end(), possessive))
    return found


@lru_cache(maxsize=8192)
def stems(phrase: str) -> tuple[str, ...]:
    """The singulars of the words of a phrase: the form in which phrases are compared."""
    return tuple(word.stem for word in split(phrase))


def closest(word: str, known: Sequence[str] | Collection[str]) -> str | None:
    """The known word that `word` is probably a misspelling of; None if there is none.

    It has the same first letter, and at most two letters more or less. A word of four letters
    differs in a doubled letter alone: "mumy".
    """
    if len(word) < 5:
        doubled = (other for other in known if len(other) == 5 and _single(other) == word)
        return next(doubled, None) if len(word) == 4 else None
    near = [
        other
        for other in known
        if other[:1] == word[0] and abs(len(other) - len(word)) <= 2 and len(other) > 3
    ]
    best = difflib.get_close_matches(word, near, n=1, cutoff=0.8)
    return best[0] if best else None


def doubled_otherwise(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known words that `word` is but for doubled letters: "pistacchio" for "pistachio"."""
    return tuple(other for other in known if other != word and _single(other) == _single(word))


def _single(word: str) -> str:
    """A word with each letter once where it stands doubled."""
    return "".join(letter for letter, _ in itertools.groupby(word))


def near_words(word: str, known: Collection[str], count: int) -> tuple[str, ...]:
    """The known words that look most like `word`, which is none of them; the nearest first."""
    alike = [
        other
        for other in known
        if other[:1] == word[:1] and abs(len(other) - len(word)) <= 2 and other.isalpha()
    ]
    return tuple(difflib.get_close_matches(word, alike, n=count, cutoff=_LOOKS_ALIKE))


@lru_cache(maxsize=20000)
def is_english(word: str) -> bool:
    """Whether a word in lower case is English, in any of its forms (simplemma's dictionary)."""
    return is_known(word, lang="en")


def name_words(name: str) -> tuple[str, ...]:
    """The words in the name of a file or trigger: "myCorgiXL_v3-000008" gives my, corgi, xl.

    "o'brien" is one word, and so is "zha'keth", without its apostrophe. A Chinese
    or Japanese sign is one, a single letter is not.
    """
    pieces = _PIECE.findall(_INSIDE.sub("", name))
    return tuple(singular(plain(one)) for one in pieces if len(one) > 1 or one >= _FIRST_SIGN)


def name_pieces(name: str) -> list[tuple[int, int]]:
    """Where the words in the name of a file stand, also single letters."""
    return [piece.span() for piece in _PIECE.finditer(name)]


def as_written(words: Sequence[str], text: str) -> str:
    """The first place in a text where some words stand in order, with at most two small words and
    no punctuation before each next one; "" where there is none, or they are too many.
    """
    wanted, there = [one for some in words for one in some.split()], split(text)
    if not 0 < len(wanted) <= _MOST_TOGETHER:
        return ""
    for at, first in enumerate(there):
        if wanted[0] in (first.text, first.stem):
            last = _last_of(wanted[1:], there, at, text)
            if last is not None:
                return text[first.start : there[last].end]
    return ""


def _last_of(wanted: Sequence[str], there: Sequence[Word], at: int, text: str) -> int | None:
    """The index of the last of some words that follow there[at]; None if they do not."""
    for one in wanted:
        for step in range(1, min(_MOST_SMALL + 2, len(there) - at)):
            word = there[at + step]
            if re.search(r"[,.;:!?()\n]", text[there[at + step - 1].end : word.start]):
                return None
            if one in (word.text, word.stem):
                at += step
                break
            if len(word.text) > _SMALL:
                return None
        else:
            return None
    return at


def joined(items: Sequence[str], last: str = "or") -> str:
    """Words as a list in a sentence: "a, b or c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
