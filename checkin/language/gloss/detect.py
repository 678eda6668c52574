"""Which language a request is in: its script and its small words tell."""

from __future__ import annotations

import re
from functools import cache

from ...catalog.vocabulary import Vocabulary
from ...lexicon import FUNCTION, MODEL_WORDS, NEGATIONS
from ...lexicon.languages import ENGLISH, Profile, dictionary, profiles
from ...lexicon.spelling import is_english, plain
from .names import is_name

_TRIGGER = re.compile(r"<[^<>\n]*>")
_RUN = re.compile(r"[!-~]+")
_NAMED = re.compile(r"[\d_]")
_WORD = re.compile(r"(?<!')[^\W\d_]{2,}|(?<!['\w])[yàéó](?!\w)|[^\W\d_\u0000-\u024f]")
_ENGLISH = FUNCTION | NEGATIONS
_CONTENT = 0.3
"""What an English word that is no small word says for English."""
_WEAK = 0.5
_LETTERS = 0.5
"""What one letter of another script says for its language."""
_CLEAR = 2.0
"""The least score of a language that is not understood."""


def detect(request: str, vocabulary: Vocabulary) -> Profile:
    """The language of a request; English where nothing else is clear.

    Names and tags show no language.
    """
    said = [*dict.fromkeys(_WORD.findall(plain(_without_names(request))))]
    words = [word for word in said if not is_name(word, vocabulary)]
    latin = [word for word in words if word[0] < "\u0250"]
    first = [] if vocabulary.named(" ".join(said[:2])) else said[:2]  # "la rosa", of la_rosa
    scores = {
        one: _by_script(one, words) if one.script else _by_words(one, latin, first)
        for one in profiles()
    }
    best = max(scores, key=lambda one: (scores[one], one.known))
    alike = [one for one in scores if one.known and scores[one] == scores[best]]
    if scores[best] > 0 and len(alike) > 1:
        best = max(alike, key=lambda one: _known(one, latin))
    if scores[best] <= 0:
        return _by_dictionaries(latin, vocabulary)
    least = 0.0 if best.known else _CLEAR
    if scores[best] < least or scores[best] <= _for_english(latin, best):
        return ENGLISH
    return best


def _without_names(request: str) -> str:
    """The request without triggers, and without what has a digit or underscore: "bear_v4"."""
    request = _TRIGGER.sub(" ", request)
    return _RUN.sub(lambda run: " " if _NAMED.search(run[0]) else run[0], request)


def _by_script(language: Profile, words: list[str]) -> float:
    assert language.script
    written = [word for word in words if language.script.search(word)]
    if not written or (not language.known and len(written) < 2):
        return 0.0
    letters = "".join(words)
    found = language.script.findall(letters)
    found += language.also.findall(letters) if language.also else []
    return _LETTERS * len(found) + (0.0 if language.known else _CLEAR)


def _by_words(language: Profile, words: list[str], first: list[str]) -> float:
    """A point for each sign; one or no word that other languages have too says nothing alone, but
    for an article before a noun that the request begins with (`first`): "un chat".

    Nor do signs of a language that is not understood which one that is has too: "strand mit" is
    German.
    """
    signs = language.signs.intersection(words)
    if not language.known and signs <= _understood():
        signs = frozenset()
    weak = language.weak.intersection(words) - _ENGLISH
    letters = {one for one in words if language.signed and language.signed.search(one)} - signs
    begun = not language.articles.isdisjoint(first[:1]) and _known(language, first[1:])
    if not signs and not begun and len(weak) + 2 * len(letters) < 2:
        return 0.0
    return len(signs) + _WEAK * len(weak | letters)


@cache
def _understood() -> frozenset[str]:
    """The small words of the languages that are understood."""
    return frozenset().union(*(one.signs | one.weak for one in profiles() if one.known))


def _by_dictionaries(words: list[str], vocabulary: Vocabulary) -> Profile:
    """The language of a request without small words: the one that knows what English does not."""
    strange = [word for word in words if not vocabulary.knows(word)]
    if not strange or not _ENGLISH.isdisjoint(words):
        return ENGLISH
    latin = [one for one in profiles() if one.known and not one.script]
    best = max(latin, key=lambda one: (_known(one, strange), _known(one, words)))
    return best if 2 * _known(best, strange) > len(strange) else ENGLISH


def _known(language: Profile, words: list[str]) -> int:
    """How many of some words the dictionary of a language has."""
    entries = dictionary(language.code).entries
    found = ([entries[form] for form in language.forms(word) if form in entries] for word in words)
    return sum(
        any(entry.english not in ("", word) for entry in entries_of)
        for word, entries_of in zip(words, found, strict=True)
    )


def _for_english(words: list[str], other: Profile) -> float:
    score = 0.0
    for word in words:
        if word in other.signs | other.weak:
            continue
        if word in MODEL_WORDS:
            continue
        if word in _ENGLISH:
            score += 1
        elif is_english(word):
            score += _CONTENT
    return score
