"""The verdict that some models are meant, with the words that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

import numpy as np

from ..catalog.cards import Card
from ..catalog.selection import CardSelection, CardView
from ..language.intent import Order
from ..lexicon.sentences import listed, phrase, quoted, say, sentence
from .alternatives import alternatives
from .evidence import Ground
from .grounded import SLIGHT, Grounded, likely
from .notices import not_used
from .question import day
from .verdict import Verdict

_PLACES = (
    (0.9, sentence("{words} in its name")),
    (0.74, sentence("{words} in its kind")),
    (0.68, sentence("{words} in its tags")),
    (0.4, sentence("{words} in its description")),
    (0.0, sentence("{words} in its pictures")),
)
"""The least strength of a word, and where in the card it stands."""
_RUNNERS_UP = 3


def selected(
    case: Grounded,
    positions: Sequence[int],
    now: datetime,
    row: Sequence[int] = (),
    ordered: Mapping[int, Order] = MappingProxyType({}),
) -> Verdict:
    """The verdict that some cards are meant together.

    `row`: the card and its neighbours in the order that a superlative puts models in; `ordered`:
    the superlatives of single cards.
    """
    views = [CardView(case.left.catalogue, one) for one in positions]
    near = case.left.at(np.array(row, np.int64)) if row else _neighbours(case, positions[0])
    return Verdict(
        " ".join(_why(case, view, now, ordered.get(view.position)) for view in views),
        views[0],
        further=tuple(views[1:]),
        neighbours=near,
        notices=() if views[0].id in case.intent.names else _unused(case, positions),
    )


def runners_up(verdict: Verdict, left: CardSelection) -> tuple[Card, ...]:
    """The next best models after the one that was chosen from `left`.

    After one that was picked by hand: models that are like it, and what the request itself means.
    """
    entry, near = verdict.entry, verdict.neighbours
    if entry is None:
        return ()
    rest = [*(left.newest_few(_RUNNERS_UP + 1) if near is None else near)]
    if verdict.resolved:
        alike = alternatives(entry, (entry,))
        fitting = left.where(left.columns.subjects.any_of(entry.subjects))
        rest = [*alike[:2], *fitting.newest_few(_RUNNERS_UP), *alike[2:], *rest]
    found = {view.position: view.card for view in rest}
    found.pop(entry.position, None)
    return tuple(found.values())[:_RUNNERS_UP]


def met_words(case: Grounded, grounds: Sequence[Ground], card: int) -> str:
    """Which words a card has where: "'moss' in its name and 'grass' in its pictures"."""
    met: dict[str, list[str]] = {}
    for ground in grounds:
        strength = float(ground.strength[card])
        if strength > 0:
            place = next(name for least, name in _PLACES if strength >= least)
            met.setdefault(place, []).append(quoted(case.their(ground.mention.words)))
    said = [
        say(place, words=listed(list(dict.fromkeys(words)), "and")) for place, words in met.items()
    ]
    return listed(said, "and")


def _unused(case: Grounded, positions: Sequence[int]) -> tuple[str, ...]:
    """A sentence with the words for what is drawn that none of the chosen models has."""
    words = [
        quoted(case.their(ground.mention.words))
        for one in case.segments
        if one.segment.part == "head" or one.segment.look
        for ground in one.grounds
        if not ground.generic and not ground.strength[list(positions)].any()
    ]
    return (not_used(list(dict.fromkeys(words))),) if words else ()


def _neighbours(case: Grounded, card: int) -> CardSelection:
    """The card, the other builds of its lineage, newest first, and the next likeliest models."""
    builds = case.left.at(case.chooser.builds(card)).newest_first().positions
    near = [card, *builds.tolist(), *likely(case, least=SLIGHT).positions.tolist()]
    return case.left.at(np.array(list(dict.fromkeys(near)), np.int64))


def _why(case: Grounded, entry: CardView, now: datetime, order: Order | None) -> str:
    """Which words were met where, and which build was taken."""
    met = met_words(case, case.head_grounds, entry.position)
    builds = len(case.chooser.builds(entry.position))
    order = order or case.intent.order
    which = ""
    if order:
        which = say("the {order}", order=case.their(order.words))
    elif builds > 1:
        which = say("the newest of {number} builds", number=builds)
    elif not case.answered:
        which = say("the only one")
    if case.intent.connected:
        which = phrase([one for one in (which, case.intent.connected.words) if one])
    name, when = entry.card.name, day(entry, now)
    if not which:
        return say("{name}: {met}from {day}.", name=name, met=f"{met}: " if met else "", day=when)
    if met:
        which = say("{met}: {which}", met=met, which=which)
    return say("{name}: {which}, from {day}.", name=name, which=which, day=when)
