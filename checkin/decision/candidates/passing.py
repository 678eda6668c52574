"""What a request rules out: cards that its gates stop, or that show what it does not want."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...catalog.selection import CardSelection
from ...language.intent import Intent
from ...lexicon.spelling import stems
from ..evidence.grounder import Grounder
from ..evidence.spelt import A_NAME
from ..gates.constraints import Constraint

_UNWANTED = (0.66, 0.4)
"""From these strengths on a model shows what is not wanted; the second counts if the first tells
nothing apart."""


def passing_gates(
    intent: Intent, gates: Sequence[Constraint], left: CardSelection
) -> CardSelection:
    """The cards that pass all gates.

    One that no build of a named model passes is dropped, but no LoRA fits every connected model.
    """
    lineage = left.columns.lineage
    named = np.isin(lineage, lineage[left.with_ids(intent.names).positions])
    for gate in gates:
        if not (intent.used and gate.kind == "time"):
            kept = gate.keeps(left)
            spared = named.any() and gate.kind != "connected" and not kept.where(named)
            left = left if spared else kept
    return left


def without_unwanted(intent: Intent, left: CardSelection, grounder: Grounder) -> CardSelection:
    """The cards without those that show what is not wanted, if others are left; a style without
    what only pictures of it show.
    """
    names = left.columns.look.where(bool)
    for term in intent.unwanted:
        words = stems(term.words)
        if not words:
            continue
        strength = np.min([grounder.strength_of(word) for word in words], axis=0)
        for least in _UNWANTED:
            shows = (strength >= np.where(names, max(least, A_NAME), least))[left.positions]
            if shows.any():
                left = left.at(left.positions[~shows]) or left
                break
    return left
