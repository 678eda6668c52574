"""Times, versions, builds and superlatives that a request says of one of its parts: "moss v3 and
nelson", "my latest bear in my ink style".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...catalog.columns import Array
from ...language.gates import Builds
from ...language.intent import Intent, Said, VersionTerm
from ...lexicon import FUNCTION, MODEL_WORDS
from ...lexicon.spelling import split
from ..candidates.choice import Choice
from ..candidates.grounded import Grounded
from .noun_phrases import NounPhrase, noun_phrases

_ENDS = re.compile(r"[.;:!?()](?:\s|$)|,\s|\s-\s|\n")
"""Where a clause ends."""
_ALL = re.compile(r"\b(?:both|all)\b", re.IGNORECASE)
_BUILDS = ("time", "version", "build")
_PURPOSE = re.compile(r"\s*for\s", re.IGNORECASE)
_EMPTY = FUNCTION | MODEL_WORDS


@dataclass(frozen=True)
class SaidOf:
    """The noun phrases of a request, and of which it says which build is meant, by their places."""

    phrases: Sequence[NounPhrase]
    """Those of which it names a build mean only what passes their gates."""
    builds: Mapping[int, Grounded] = field(default_factory=dict)
    """Of those of which it names times, versions, builds or a superlative: the request with these
    alone.
    """
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
    of_models = [one for one in said if not _is_talk(intent.english, phrases, one)]
    if said and not of_models and not intent.order:
        return SaidOf(phrases)
    own: dict[int, list[Said]] = {}
    for one in of_models:
        own.setdefault(_whose(intent.english, phrases, one), []).append(one)
    if sum(any(one.what == "build" for one in some) for some in own.values()) > 1:
        return None  # which labels each has is not known
    order = _behind(intent, phrases) if intent.order else None
    places = {*own} | ({order} if order is not None else set())
    builds = {
        place: gated.read_as(_only(intent, own.get(place, ()), place == order)) for place in places
    }
    there = {place: one for place in own for one in noun_phrases(builds[place], only=place)}
    if not own.keys() <= there.keys() or (_names_builds(gated) and not own):
        return None
    return SaidOf([there.get(one.place, one) for one in phrases], builds, order)


def with_downloads_of(case: Grounded, named: SaidOf) -> SaidOf:
    """The same where the request says of one noun phrase that its model was downloaded: "immy in
    that cape I downloaded".
    """
    said = next((one for one in case.intent.said if one.what == "origin"), None)
    if case.intent.origin != "downloaded" or said is None or not named.phrases:
        return named
    place = _whose(case.intent.english, named.phrases, said)
    own = {one.place: one for one in noun_phrases(case, only=place)}
    return replace(named, phrases=[own.get(one.place, one) for one in named.phrases])


def ordered_of(case: Grounded, cards: Sequence[int]) -> Choice:
    """The choice among the builds of some cards that the superlative of a request makes."""
    return case.chooser.ordered(np.concatenate([case.builds.of(card) for card in cards]))


def with_builds_of(case: Grounded, cards: Sequence[int], only: Array) -> Grounded:
    """The request without other builds than `only` of those lineages of `cards` that have some."""
    positions, lineage = case.left.positions, case.left.columns.lineage
    named = np.intersect1d(lineage[np.array(cards, np.int64)], lineage[only])
    own = np.isin(lineage[positions], named)
    return replace(case, left=case.left.at(positions[~own | np.isin(positions, only)]))


def _is_talk(text: str, phrases: Sequence[NounPhrase], said: Said) -> bool:
    """Whether a time, version or build stands in a clause that is of something else: "she has been
    talking of nothing else since Easter", "for the December dates".
    """
    start = max((one.end() for one in _ENDS.finditer(text[: said.start])), default=0)
    end = _ENDS.search(text, said.end)
    clause = text[start : end.start() if end else None]
    if start and _PURPOSE.match(clause):
        return True
    named = any(start <= _position(text, one) < start + len(clause) for one in phrases)
    rest = f"{text[start : said.start]} {clause[said.end - start :]}"
    return bool(start) and _tells(rest) and not named


def _tells(words: str) -> bool:
    """Whether any of some words is of a thing."""
    return any(not {one.text.casefold(), one.stem} & _EMPTY for one in split(words))


def _names_builds(case: Grounded) -> bool:
    builds = case.intent.builds
    named = builds.wanted or builds.unwanted or builds.before or builds.after
    return bool(case.intent.times or case.intent.versions or named)


def _is_of_all(intent: Intent) -> bool:
    """Whether it says of all parts which builds are meant: "moss and nelson, both from 2025"."""
    if intent.order and any(one.words in ("both", "all") for one in intent.mentions):
        return True
    starts = [one.start for one in intent.said if one.what in _BUILDS]
    between = [
        intent.english[one.end() : start]
        for start in starts
        for one in _ALL.finditer(intent.english[:start])
    ]
    return any(not _tells(one) and not _ENDS.search(one) for one in between)


def _whose(text: str, phrases: Sequence[NounPhrase], said: Said) -> int:
    """The place of the phrase that a time, version or build is said of."""
    if said.what != "time":  # "moss v3 ghibli style"
        before = f" {text[: said.start].rstrip().casefold()}"
        for phrase in phrases:
            if before.endswith(f" {phrase.segment.segment.words[-1].words}"):
                return phrase.place
    found = phrases[0].place
    for phrase in phrases:
        first = re.escape(phrase.segment.segment.words[0].words)
        if re.match(rf"\s*{first}(?!\w)", text[said.end :], re.IGNORECASE):
            return phrase.place  # "the april house"
        if -1 < _position(text, phrase) < said.start:
            found = phrase.place
    return found


def _only(intent: Intent, said: Sequence[Said], ordered: bool) -> Intent:
    """The intent with those of its times, versions and builds that `said` are the places of, and
    with its superlative where it is `ordered`. What stands at no known place is said of all parts.
    """
    dated = [one for one in intent.said if one.what == "time"]
    paired = len(dated) == len(intent.times)
    elsewhere = [one for one in intent.said if one not in said]
    return replace(
        intent,
        times=tuple(term for term, one in zip(intent.times, dated, strict=True) if one in said)
        if paired
        else intent.times,
        versions=tuple(
            term
            for term in intent.versions
            if _stands_in(intent, term, said) or not _stands_in(intent, term, elsewhere)
        ),
        builds=intent.builds if any(one.what == "build" for one in said) else Builds(),
        order=intent.order if ordered else None,
    )


def _stands_in(intent: Intent, term: VersionTerm, said: Sequence[Said]) -> bool:
    term_words = re.sub(r"^v(?=\d)", "v?", re.escape(term.words))  # "dreamshaper 8"
    words = re.compile(rf"(?<!\w){term_words}(?!\w)", re.IGNORECASE)
    spoken = [intent.english[one.start : one.end] for one in said if one.what == "version"]
    return any(words.search(one) for one in spoken)


def _behind(intent: Intent, phrases: Sequence[NounPhrase]) -> int:
    text, order = intent.english, intent.order
    start = text.casefold().find(order.words.casefold()) if order else -1
    after = [one.place for one in phrases if _position(text, one) > start]
    return (after or [phrases[-1].place])[0]


def _position(text: str, phrase: NounPhrase) -> int:
    """Where the last word of a phrase stands in a text; -1 if it is spelt in another way."""
    word = phrase.segment.segment.words[-1].words
    found = re.search(rf"(?<!\w){re.escape(word)}", text.casefold())
    return found.start() if found else -1
