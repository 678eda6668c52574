"""Search: the cards that typed words mean, the best first, by the evidence that decisions use.

A decision is about one model; a search shows every card that has what was typed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np

from ..catalog.columns import Array
from ..catalog.selection import CardSelection
from ..catalog.vocabulary import vocabulary_of
from ..index.repository import Repository
from ..language.parse import parse
from ..language.readings import other_readings
from ..user.history import Use
from .candidates.bounds import NoSuchModel, all_within
from .candidates.grounded import Grounded
from .candidates.near_words import NearWords, nearest_words
from .evidence.grounder import Ground, grounder_of

_SAYS_NOTHING = ("function", "model", "picture")
"""Kinds of words that say nothing about a model: of "show me my", every card is shown."""


class Texts(Protocol):
    """The texts of all cards, as a person would look through them."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each card, in lower case, with spaces for underscores."""

    def holds(self, words: str) -> Array:
        """Bool [all cards]: whether the card's text has these words, also inside a word."""


@dataclass(frozen=True)
class Found:
    """What a search found."""

    text: str
    cards: CardSelection
    """The best first."""
    grounds: tuple[Ground, ...] = ()
    """The words that say something about a model of the library."""
    gates: tuple[tuple[str, str], ...] = ()
    """(kind, words) of what was asked of the model itself: ("time", "last winter")."""
    unmet: tuple[str, ...] = ()
    """Typed words that no card has."""
    near: NearWords = ()
    """Words that no card has, with the words of the library that are nearest."""


def search(
    text: str,
    repository: Repository,
    within: CardSelection,
    texts: Texts,
    now: datetime,
    history: Sequence[Use] = (),
) -> Found:
    """The cards of `within` that have what was typed: as Check-in understands it, or letter by
    letter.

    Cards must have all words that any card has; if none has them all, those with the most count.
    Raises ValueError for an empty text.
    """
    if not text.strip():
        raise ValueError("Nothing was typed.")
    plain = within.where(_holding(text, texts))
    case = _grounded(text, repository, within, now, history)
    grounds = tuple(ground for one in case.segments for ground in one.grounds)
    known = [(ground, _has(ground, texts)) for ground in grounds]
    met = tuple(ground for ground, has in known if has.any())
    is_name = bool(plain) or "_" in text
    understood = _understood(case, [has for _, has in known if has.any()], is_name)
    found = within.where(_mask(plain) | _mask(understood))
    unmet = tuple(ground.mention.words for ground, has in known if not has.any())
    if not found and not unmet and not case.asked:
        unmet = tuple(text.split())
    called = " ".join(text.casefold().replace("_", " ").split())
    order = _order(case, found, called, texts)
    places = found.positions[order]
    named = np.array([texts.names[one] == called for one in places.tolist()], bool)
    order = order[np.lexsort((~_mask(understood)[places], ~named))]
    said: list[tuple[str, str]] = [(gate.kind, gate.words) for gate in case.asked]
    if case.intent.order:
        said.append(("order", case.intent.order.words))
    return Found(
        text,
        found.at(found.positions[order]),
        met,
        tuple(said),
        tuple(dict.fromkeys(unmet)),
        nearest_words(unmet, repository),
    )


def _grounded(
    text: str,
    repository: Repository,
    within: CardSelection,
    now: datetime,
    history: Sequence[Use],
) -> Grounded:
    """The words, grounded in the library; in the first of their readings under which any card of
    `within` is left.
    """
    vocabulary = vocabulary_of(repository.version, repository.catalogue)
    columns = repository.catalogue().columns
    whole = within.at(np.arange(len(columns.created_us)))
    grounder = grounder_of(repository.version, columns)
    intent = parse(text, vocabulary, now)
    readings = [intent, *other_readings(intent, now)]
    cases = (
        Grounded.of(one, whole, grounder, history, within=within, demanding=False)
        for one in readings
    )
    first = next(cases)
    return first if first.left else next((case for case in cases if case.left), first)


def _holding(text: str, texts: Texts) -> Array:
    """Bool [all cards]: whether the card's text has all of the words, as they are typed."""
    return np.logical_and.reduce([texts.holds(word) for word in text.split()])


def _has(ground: Ground, texts: Texts) -> Array:
    """Bool [all cards]: whether the card has the word, in any spelling."""
    return (ground.strength > 0) | texts.holds(ground.mention.words)


def _understood(case: Grounded, known: Sequence[Array], is_name: bool) -> CardSelection:
    """The cards that pass the gates, were used when that is asked, and have the most words.

    Words that say nothing, "show me my", mean every card, unless they are the name of a file.
    """
    intent, left = case.intent, case.left
    if intent.bounds:
        left = _bounded(case)
    if intent.used:
        left = left.at(_used(case, left))
    if intent.names:
        return left.with_ids(intent.names)
    if not known:
        kinds = {word.kind for word in intent.mentions if not is_name}
        says = case.asked or intent.order or intent.used or intent.bounds or intent.unwanted
        return left if says or (kinds and kinds.issubset(_SAYS_NOTHING)) else left[:0]
    counts = np.sum(known, axis=0)
    most = counts[left.positions].max(initial=0)
    return left.where(counts == most) if most else left[:0]


def _bounded(case: Grounded) -> CardSelection:
    """The cards before, after or between those that bound the request."""
    try:
        parts = [one.case.left.positions for one in all_within(case)]
    except NoSuchModel:
        return case.left[:0]
    return case.left.at(np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64))


def _used(case: Grounded, left: CardSelection) -> Array:
    """Int: the positions that were used in the times of the request, the last used first."""
    last = {position: when for when, position in case.used_among(left)}
    return np.array(sorted(last, key=lambda one: last[one], reverse=True), np.int64)


def _order(case: Grounded, found: CardSelection, called: str, texts: Texts) -> Array:
    """Int [found]: their order, the best first.

    First come those with `called` in their name; then the likelier lineage, in it the newer build.
    A superlative orders the likely ones by date or version instead.
    """
    columns, positions, order = found.columns, found.positions, case.intent.order
    odds, date = _odds(case)[positions], columns.order[positions]
    if order:
        key = columns.number_rank[positions] if order.by == "version" else date
        likely = odds >= odds.max(initial=-np.inf) + np.log(case.model.least_ordered)
        first = np.where(likely, key if order.newest else -key, -np.inf)
    else:
        first = np.array([called in texts.names[one] for one in positions.tolist()], float)
    cover = sum(
        (one.importance * one.mass * one.cover(positions) for one in case.segments),
        np.zeros(len(positions)),
    )
    return np.lexsort((-date, -np.round(cover, 3), -odds, -first))


def _odds(case: Grounded) -> Array:
    """Float [all cards]: the log-odds that the card's lineage is meant; -inf without evidence."""
    lineage = case.left.columns.lineage
    odds = np.full(len(lineage), -np.inf)
    if case.found is not None:
        mine = lineage[case.found.cards]
        places = np.argsort(mine)
        at = np.clip(np.searchsorted(mine[places], lineage), 0, len(mine) - 1)
        same = mine[places][at] == lineage
        odds[same] = np.round(case.odds[places][at[same]], 3)
    return odds


def _mask(selection: CardSelection) -> Array:
    mask = np.zeros(len(selection.columns.created_us), bool)
    mask[selection.positions] = True
    return mask
