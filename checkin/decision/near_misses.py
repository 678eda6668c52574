"""Near misses: what to offer where no model fits (rule 2).

They are models that would fit if the fewest constraints were dropped, or models of the nearest
subjects.
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
"""The most sets of constraints that are tried for one number of dropped constraints.

It is enough for any number out of ten constraints, or two out of 25.
"""
_GIVEN_UP = (
    "time",
    "build",
    "version",
    "base model",
    "unwanted",
    "origin",
    "kind",
    "style",
    "subject",
)
"""Kinds of constraints, in the order in which people give them up."""
_NEAR = 3
"""How many models are offered where no model has the subject."""


def no_match(reading: Reading, entries: CardSelection, now: datetime) -> Verdict:
    """Say that nothing meets all constraints, and name the near misses."""
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
    """The smallest sets of constraints that must be dropped for a model to fit.

    Returns (constraints dropped, newest model that meets the others) for each set, the easiest to
    give up first. Empty if so many sets would have to be tried that the user would wait.
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
