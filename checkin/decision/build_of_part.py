"""Versions and builds that a request says of one of its parts: "moss v3 and nelson"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..language.intent import Builds
from .grounded import Grounded
from .noun_phrases import NounPhrase, noun_phrases


def without_builds(case: Grounded) -> Grounded:
    """The same request without the versions and builds that it names."""
    intent = case.intent
    if case.answered or not (intent.versions or _named(intent.builds)):
        return case  # an answer has told which builds are meant
    free = replace(intent, versions=(), builds=Builds())
    return Grounded.of(free, case.library, case.grounder, model=case.model)


def places_of_builds(gated: Grounded, free: Grounded) -> frozenset[int] | None:
    """The places of the noun phrases behind which `gated` names versions or builds, else of the
    first one; None if no model of theirs is there so.
    """
    if gated is free:
        return frozenset()
    phrases = list(noun_phrases(free))
    starts = [one.start for one in gated.intent.said if one.what in ("version", "build")]
    there = {one.place for one in noun_phrases(gated)}
    places = frozenset(_before(gated.intent.request, phrases, start) for start in starts if phrases)
    return places if places and places <= there else None


def with_builds_of(free: Grounded, gated: Grounded, cards: Sequence[int]) -> Grounded:
    """The request without the builds of the lineages of `cards` that the named ones are not."""
    positions, lineage = free.left.positions, free.left.columns.lineage
    own = np.isin(lineage[positions], lineage[np.array(cards, np.int64)])
    passes = np.isin(positions, gated.left.positions)
    return replace(free, left=free.left.at(positions[~own | passes]))


def _named(builds: Builds) -> bool:
    return bool(builds.wanted or builds.unwanted or builds.before or builds.after)


def _before(request: str, phrases: Sequence[NounPhrase], start: int) -> int:
    """The place of the last phrase before a position of the request, else of the first phrase."""
    text, found = request.casefold(), phrases[0].place
    for phrase in phrases:
        word = phrase.segment.segment.words[-1].words
        at = re.search(rf"(?<!\w){re.escape(word)}", text)
        if at and at.start() < start:
            found = phrase.place
    return found
