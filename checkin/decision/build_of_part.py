"""Times, versions, builds and superlatives that a request says of one of its parts: "moss v3 and
nelson", "my latest bear in my ink style".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..catalog.columns import Array
from ..language.gates import Builds
from ..language.intent import Intent, Said, TimeTerm, VersionTerm
from ..lexicon import FUNCTION, MODEL_WORDS
from ..lexicon.spelling import split
from .choice import Choice
from .grounded import Grounded
from .noun_phrases import NounPhrase, noun_phrases

_ENDS = re.compile(r"[.;:!?()](?:\s|$)|,\s|\s-\s|\n")
"""Where a clause ends."""
_ALL = ("both", "all")
_OF_ALL = re.compile(rf"\b(?:{'|'.join(_ALL)})\s+(?:from|in|of)?\s*$", re.IGNORECASE)
_BUILDS = ("time", "version", "build")
_PURPOSE = re.compile(r"\s*for\s", re.IGNORECASE)


@dataclass(frozen=True)
class SaidOf:
    """The noun phrases of a request, and of which it says which build is meant, by their places."""

    phrases: Sequence[NounPhrase]
    """Those of which it names a build mean only what passes all gates."""
    builds: Mapping[int, Array] = field(default_factory=dict)
    """Of those of which it names times, versions or builds, the cards that pass: positions."""
    order: int | None = None
    """The one that has the superlative."""


def without_builds(case: Grounded) -> Grounded:
    """The same request without the times, versions, builds and superlatives that it names."""
    intent = case.intent
    whole = len(case.segments) < 2 or _is_of_all(intent)
    if case.answered or whole or not (intent.order or _names_builds(case)):
        return case  # an answer has told which builds are meant
    return case.read_as(replace(intent, times=(), versions=(), builds=Builds(), order=None))


def said_of(gated: Grounded, free: Grounded) -> SaidOf | None:
    """Of which noun phrases `gated` says what `free` is without: a time, a version or a build of
    the one that follows at once, else of the one before it, else of the first; a superlative of the
    one behind it, else of the last. None if no such build of theirs is there.
    """
    intent, phrases = gated.intent, list(noun_phrases(free))
    if gated is free:
        return SaidOf(phrases) if not intent.order else None
    if len(phrases) < 2:
        return None
    said = [one for one in intent.said if one.what in _BUILDS]
    of_models = [one for one in said if not _is_talk(intent.request, phrases, one)]
    if said and not of_models and not intent.order:
        return SaidOf(phrases)
    said_of_place: dict[int, list[Said]] = {}
    for one in of_models:
        said_of_place.setdefault(_whose(intent.request, phrases, one), []).append(one)
    passing = {
        place: gated if len(said_of_place) == 1 else gated.read_as(_only(intent, own))
        for place, own in said_of_place.items()
    }
    there = {
        one.place: one
        for place, case in passing.items()
        for one in noun_phrases(case)
        if one.place == place
    }
    if not passing.keys() <= there.keys() or (_names_builds(gated) and not passing):
        return None
    own_phrases = [there.get(one.place, one) for one in phrases]
    builds = {place: case.left.positions for place, case in passing.items()}
    return SaidOf(own_phrases, builds, _behind(gated, phrases) if intent.order else None)


def ordered_of(gated: Grounded, cards: Sequence[int]) -> Choice:
    """The choice among the builds of some cards that the superlative of a request makes."""
    return gated.chooser.ordered(np.concatenate([gated.chooser.builds(card) for card in cards]))


def with_builds_of(case: Grounded, cards: Sequence[int], only: Array) -> Grounded:
    """The request without other builds than `only` of those lineages of `cards` that have some."""
    positions, lineage = case.left.positions, case.left.columns.lineage
    named = np.intersect1d(lineage[np.array(cards, np.int64)], lineage[only])
    own = np.isin(lineage[positions], named)
    return replace(case, left=case.left.at(positions[~own | np.isin(positions, only)]))


def _is_talk(request: str, phrases: Sequence[NounPhrase], said: Said) -> bool:
    """Whether a time, version or build stands in a clause that is of something else: "she has been
    talking of nothing else since Easter", "for the December dates".
    """
    start = max((one.end() for one in _ENDS.finditer(request[: said.start])), default=0)
    end = _ENDS.search(request, said.end)
    clause = request[start : end.start() if end else None]
    if start and _PURPOSE.match(clause):
        return True
    named = any(start <= _position(request, one) < start + len(clause) for one in phrases)
    rest = split(f"{request[start : said.start]} {clause[said.end - start :]}")
    telling = [one for one in rest if one.text.casefold() not in FUNCTION | MODEL_WORDS]
    return bool(start) and bool(telling) and not named


def _names_builds(case: Grounded) -> bool:
    builds = case.intent.builds
    named = builds.wanted or builds.unwanted or builds.before or builds.after
    return bool(case.intent.times or case.intent.versions or named)


def _is_of_all(intent: Intent) -> bool:
    """Whether it says of all parts which builds are meant: "moss and nelson, both from 2025"."""
    if intent.order and any(one.words in _ALL for one in intent.mentions):
        return True
    before = [intent.request[: one.start] for one in intent.said if one.what in _BUILDS]
    return any(_OF_ALL.search(one) for one in before)


def _whose(request: str, phrases: Sequence[NounPhrase], said: Said) -> int:
    """The place of the phrase that a time, version or build is said of."""
    found = phrases[0].place
    for phrase in phrases:
        if request[said.end :].lstrip().casefold().startswith(_words(phrase)):
            return phrase.place  # "the april house"
        if -1 < _position(request, phrase) < said.start:
            found = phrase.place
    return found


def _only(intent: Intent, said: Sequence[Said]) -> Intent:
    """The intent with those of its times, versions and builds that some of its words say."""
    spoken = [intent.request[one.start : one.end].casefold() for one in said]

    def is_said(term: TimeTerm | VersionTerm) -> bool:
        return any(term.words.casefold() in one or one in term.words.casefold() for one in spoken)

    return replace(
        intent,
        times=tuple(filter(is_said, intent.times)),
        versions=tuple(filter(is_said, intent.versions)),
        builds=intent.builds if any(one.what == "build" for one in said) else Builds(),
    )


def _behind(case: Grounded, phrases: Sequence[NounPhrase]) -> int:
    request, order = case.intent.request, case.intent.order
    start = request.casefold().find(order.words.casefold()) if order else -1
    after = [one.place for one in phrases if _position(request, one) > start]
    return (after or [phrases[-1].place])[0]


def _words(phrase: NounPhrase) -> str:
    return phrase.segment.segment.words[0].words


def _position(request: str, phrase: NounPhrase) -> int:
    """Where the last word of a phrase stands in a request; -1 if it is spelt in another way."""
    word = phrase.segment.segment.words[-1].words
    found = re.search(rf"(?<!\w){re.escape(word)}", request.casefold())
    return found.start() if found else -1
