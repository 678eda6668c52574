"""Keeps a language model from hiding the models that the words of a request name.

A text in a card may talk it into anything; what a word says of other cards it cannot change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...catalog.selection import CardView
from ..candidates.grounded import Grounded
from ..decision import NearMiss
from ..evidence.grounder import IS, SMALL, Ground
from ..questions.question import MAX_CHOICES
from ..verdict import Verdict
from .reasoner import Opinion
from .shortlist import offered


def named_by_words(case: Grounded, offline: Verdict) -> tuple[CardView, ...]:
    """The models of `offline` that are all that the request says of whom or what it is about.

    Models that are used together need it together, as do those that an "or" joins; each other
    choice of a question needs it alone.
    """
    grounds, views = _telling(case), offered(case, offline)
    if not grounds or not views:
        return ()
    if offline.entry or case.intent.alternatives:
        together = [view.position for view in views]
        return views if all(one.strength[together].max() >= IS for one in grounds) else ()
    return tuple(
        view for view in views if all(one.strength[view.position] >= IS for one in grounds)
    )


def with_left_out(opinion: Opinion, named: Sequence[CardView]) -> Opinion:
    """The opinion; a question about what it chose and `named`, where it leaves these out.

    A choice is its own where it takes one of them; a question shows all.
    """
    chosen = {view.catalogue.columns.lineage[view.position] for view in opinion.entries}
    left_out = [one for one in named if one.catalogue.columns.lineage[one.position] not in chosen]
    if not left_out or (opinion.outcome == "select" and len(left_out) < len(named)):
        return opinion
    room = max(MAX_CHOICES - len(left_out), 1)
    entries = (*opinion.entries[:room], *left_out)[:MAX_CHOICES]
    return replace(opinion, outcome="clarify", entries=entries, why="")


def near_by_words(case: Grounded, offline: Verdict) -> tuple[NearMiss, ...]:
    """The models of `offline`, each with the words of the request that it lacks."""
    return tuple(
        NearMiss(view.card, _lacked(case, view.position) or case.what)
        for view in offered(case, offline)
    )


def _lacked(case: Grounded, position: int) -> str:
    words = [
        case.their(one.mention.words) for one in case.head_grounds if not one.strength[position]
    ]
    return " ".join(dict.fromkeys(words))


def _telling(case: Grounded) -> list[Ground]:
    """The words that say whom or what the request is about, and in which style."""
    return [
        ground
        for one in case.segments
        if one.segment.part == "head" or one.segment.look
        for ground in one.grounds
        if not ground.generic and ground.mention.phrase[-1] not in SMALL
    ]
