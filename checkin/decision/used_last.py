"""The model that was used last, or most often: "the one I used yesterday", "the same combo"."""

from __future__ import annotations

from datetime import timedelta

from ..catalog.selection import CardView
from ..lexicon.sentences import day_of, say
from .candidates.builds import together
from .candidates.choice import MAX_TOGETHER
from .candidates.grounded import Grounded
from .evidence.likelihood import probability
from .verdict import Verdict

_ONE_RUN = timedelta(seconds=10)
"""Within this time models were used in one run."""


def used_last(case: Grounded) -> Verdict:
    """The model that was used last, or most often, at the time that is named."""
    intent = case.intent
    used = case.used_among(case.left)
    if not used:
        return Verdict(say("No model that you used then is here."))
    columns = case.left.columns
    lineage = columns.lineage
    chance = (
        dict(
            zip(
                lineage[case.found.cards].tolist(),
                probability(case.odds).tolist(),
                strict=True,
            )
        )
        if case.found
        else {}
    )
    look = columns.look
    last = {position: when for when, position in used}
    counts = {position: sum(one == position for _, one in used) for position in last}
    most = bool(intent.used and intent.used.most)
    best = max(
        last,
        key=lambda one: (
            not case.looks or bool(look[one]),
            chance.get(int(lineage[one]), 0.0) > 0.1,
            counts[one] if most else 0,
            last[one],
        ),
    )
    when = last[best]
    catalogue = case.left.catalogue
    cards: tuple[int, ...] = (best,)
    if intent.used and intent.used.together:
        at_once = [[one] for one, then in last.items() if when - then <= _ONE_RUN]
        cards = together(columns, at_once[:MAX_TOGETHER]) or cards
    first, *further = [CardView(catalogue, one) for one in cards]
    day = day_of(when)
    said = (
        say("You used them together last on {day}.", day=day)
        if further
        else say("You used it last on {day}.", day=day)
    )
    return Verdict(said, first, tuple(further))
