"""The verdict that some models are meant, with the words that say so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

import numpy as np

from ..catalog.cards import Card
from ..catalog.selection import CardSelection, CardView
from ..language.intent import Order
from ..language.phrases import MYSELF
from ..lexicon.kin import RELATIVES
from ..lexicon.spelling import is_english
from .alternatives import MAX_OTHERS, alternatives
from .candidates.grounded import Grounded
from .candidates.likely import SLIGHT, likely
from .evidence.grounder import IS
from .reasons import reason
from .verdict import Verdict

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
        " ".join(reason(case, one, positions, now, ordered.get(one.position)) for one in views),
        views[0],
        further=tuple(views[1:]),
        neighbours=near,
        unused=() if views[0].id in case.intent.names else _unused(case, positions),
    )


def runners_up(verdict: Verdict, left: CardSelection) -> tuple[Card, ...]:
    """The next best models after the one that was chosen from `left`.

    After one that was picked by hand: what the request itself means, of looks only if it is one,
    and models that are like the picked one.
    """
    entry, near = verdict.entry, verdict.neighbours
    if entry is None:
        return ()
    rest = [*(left.newest_few(_RUNNERS_UP + 1) if near is None else near)]
    if verdict.resolved:
        looks = left.columns.look
        meant = [one for one in rest if looks[one.position] == looks[entry.position]]
        rest = [*meant[:1], *alternatives(entry, (entry,)), *meant[1:]]
    found = {view.position: view.card for view in rest}
    for view in verdict.views:
        found.pop(view.position, None)
    return tuple(found.values())[: MAX_OTHERS if verdict.resolved else _RUNNERS_UP]


def _unused(case: Grounded, positions: Sequence[int]) -> tuple[str, ...]:
    """The words for what is drawn that none of the chosen models has: those that another model
    has, names that none has, "me" and "my wife". Words of a picture alone need no model.
    """
    names = {number for one in positions for number in _numbers_of(case, one)}
    words = [
        ground.mention.words
        for one in case.segments
        if one.segment.part == "head" or one.segment.look
        for ground in one.grounds
        if not ground.generic
        and not ground.strength[list(positions)].any()
        and not (ground.mention.words.isdecimal() and ground.mention.words in names)
        and (
            ground.best >= IS
            or ground.mention.words == MYSELF
            or (ground.mention.possessive and ground.mention.phrase[-1] in RELATIVES)
            or not is_english(ground.mention.phrase[-1])
        )
    ]
    return tuple(dict.fromkeys(words))


def _numbers_of(case: Grounded, card: int) -> list[str]:
    """The numbers in a name without leading zeros, also those of a base model: 2512."""
    return re.findall(r"[1-9]\d*", case.left.catalogue.cards[card].name)


def _neighbours(case: Grounded, card: int) -> CardSelection:
    """The card, the other builds of its lineage, newest first, and the next likeliest models."""
    builds = case.left.at(case.builds.of(card)).newest_first().positions
    near = [card, *builds.tolist(), *likely(case, least=SLIGHT).positions.tolist()]
    return case.left.at(np.array(list(dict.fromkeys(near)), np.int64))
