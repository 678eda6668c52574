"""The words of a library that are nearest to words that none of its cards has."""

from __future__ import annotations

from collections.abc import Iterable

from ...index.repository import Repository
from ...lexicon.spelling import doubled_otherwise, is_english, near_words
from .grounded import Grounded

MAX_NEAR = 3
"""The most words of the library that are offered for one that no card has."""
_LEAST_LETTERS = 3
"""Shorter words are not corrected."""
NearWords = tuple[tuple[str, tuple[str, ...]], ...]
"""Words that no card has, with the words of the library that are nearest."""


def nearest_words(unmet: Iterable[str], repository: Repository) -> NearWords:
    """The nearest words of the library for each of these: names and triggers, subjects and styles,
    else any other word. Those to which none is near are left out.
    """
    near = ((word, _near(word, repository)) for word in dict.fromkeys(unmet))
    return tuple((word, others) for word, others in near if others)


def near_request(request: str, case: Grounded, repository: Repository) -> NearWords:
    """The same for the words of a request that no card has, as far as they stand in it: those that
    say whom or what it is about, or in which style. English words are what they look like, but for
    a doubled letter: "moon" is not mistyped, "pistachio" may be Pistacchio.
    """
    heads = [one for one in case.segments if one.segment.part == "head" or one.segment.look]
    grounds = [ground for one in heads for ground in one.grounds if not (ground.strength > 0).any()]
    unmet = [one.mention.words for one in grounds]
    said = [one for one in dict.fromkeys(unmet) if one.casefold() in request.casefold()]
    names = repository.catalogue().columns.identity.values
    near = (
        (one, doubled_otherwise(one, names)[:MAX_NEAR])
        if is_english(one)
        else (one, _near(one, repository))
        for one in said
    )
    return tuple((word, others) for word, others in near if others)


def _near(word: str, repository: Repository) -> tuple[str, ...]:
    columns = repository.catalogue().columns
    if len(word) < _LEAST_LETTERS:
        return ()
    known = near_words(word.casefold(), columns.identity.values, MAX_NEAR)
    return known or near_words(word.casefold(), columns.words.values, MAX_NEAR)
