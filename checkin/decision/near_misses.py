"""What to offer where nothing fits: models that miss one constraint, or the nearest subjects (rule
5).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import combinations
from math import comb

import numpy as np

from ..catalog.selection import CardSelection, CardView
from ..catalog.subject_key import kind_keys
from ..lexicon.spelling import joined, stems
from .constraints import Constraint, Reading, apply, spoken
from .decision import NearMiss
from .question import day
from .verdict import Verdict

_MAX_COMBINATIONS = 300
"""Sets of constraints to drop that are tried: any number of up to ten, two of up to 25."""
_GIVEN_UP = ("time", "version", "base model", "unwanted", "style", "subject")
"""Kinds of constraints, the one that people give up first at the front."""
_NEAR = 3
"""Models offered in place of a subject that nobody trained."""


def no_match(reading: Reading, entries: CardSelection, now: datetime) -> Verdict:
    """Nothing meets all constraints: say so, with the nearest models that would if one constraint
    were dropped.
    """
    intent, constraints = reading.intent, reading.constraints
    if intent.missing and not intent.styles:
        near = tuple(
            NearMiss(entry.card, intent.missing) for entry in _akin(intent.missing, entries)
        )
        return Verdict(f"There is no '{intent.missing}' here. {_offer(entries)}", near=near)
    misses = _relaxations(constraints, entries)
    wanted = spoken(constraints)
    if not misses:
        return Verdict(f"No model fits '{wanted}'. {_offer(entries)}")
    dropped, entry = misses[0]
    others = spoken(
        [
            other
            for other in constraints
            if other not in dropped and other.kind in ("style", "subject")
        ]
    )
    asked_version = any(constraint.kind == "version" for constraint in dropped)
    version = f", version {entry.card.version}" if asked_version and entry.card.created_at else ""
    why = f"No {wanted}; the newest {others or 'other model'} is from {day(entry, now)}{version}."
    near = tuple(
        NearMiss(entry.card, joined([one.words for one in dropped], "and"))
        for dropped, entry in misses
    )
    return Verdict(why, near=near)


def _relaxations(
    constraints: Sequence[Constraint], entries: CardSelection
) -> list[tuple[list[Constraint], CardView]]:
    """(constraints dropped, newest model that meets the others) for each set of the fewest
    constraints that must be dropped; the easiest to give up first.

    Empty where so many sets would have to be tried that a person would wait.
    """
    first = sorted(constraints, key=lambda constraint: _GIVEN_UP.index(constraint.kind))
    for count in range(1, len(first)):
        if comb(len(first), count) > _MAX_COMBINATIONS:
            return []
        found = []
        for dropped in combinations(first, count):
            rest = apply([one for one in constraints if one not in dropped], entries)
            if rest:
                found.append((list(dropped), rest.newest()))
        if found:
            return found
    return []


def _akin(missing: str, entries: CardSelection) -> CardSelection:
    """The newest models of the subjects that are nearest in kind: for a wolf, other animals."""
    kind = kind_keys(stems(missing)) or kind_keys(stems(missing)[-1:])
    shared = np.zeros(len(entries.columns.created_us), np.int64)
    for one in kind:
        shared += entries.columns.subjects.any_of((one,))
    most = shared[entries.positions].max(initial=0)
    return (
        entries.where(shared == most).lineages().newest().newest_first()[:_NEAR]
        if most
        else entries[:0]
    )


def _offer(entries: CardSelection) -> str:
    """A sentence with subjects that the repository has."""
    different = entries.groups(entries.columns.raw_subjects.codes[entries.positions]).first()
    subjects = dict.fromkeys(entry.card.subjects[0] for entry in different if entry.card.subjects)
    shown = list(subjects)[:8]
    more = " and more" if len(subjects) > len(shown) else ""
    return (
        f"The repository has: {', '.join(shown)}{more}."
        if shown
        else "The repository names no subjects."
    )
