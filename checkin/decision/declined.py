"""What to say and to offer where the evidence fits no model."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from ..catalog.selection import CardView
from ..language.gates import Builds
from ..language.intent import Intent
from ..lexicon.model_kinds import OTHER_KINDS
from ..lexicon.spelling import joined
from .decision import NearMiss
from .grounded import SLIGHT, Grounded
from .likelihood import probability
from .question import day
from .verdict import Verdict

_NEAR = 3
"""How many models are offered."""


def declined(case: Grounded, now: datetime) -> Verdict:
    """Say that nothing fits, and name the nearest models."""
    open_case = (
        Grounded.of(_ungated(case.intent), case.library, case.grounder, model=case.model)
        if case.gates
        else case
    )
    likely = open_case.found is not None and (
        probability(open_case.odds).max(initial=0.0) >= case.model.least
    )
    if case.gates and likely:
        return _gated_away(case, open_case, now)
    near: tuple[NearMiss, ...] = ()
    if open_case.found is not None:
        chance = probability(open_case.odds)
        best = np.argsort(-open_case.odds, kind="stable")[:_NEAR]
        near = tuple(
            NearMiss(
                _newest(open_case, int(open_case.found.cards[one])).card,
                " ".join(open_case.chooser.lacking_styles(int(open_case.found.cards[one])))
                or case.what,
            )
            for one in best
            if chance[one] >= SLIGHT
        )
    wanted = case.what or joined([gate.words for gate in case.gates], "and")
    why = f"There is no '{wanted}' here." if wanted else "Nothing here fits."
    if any(OTHER_KINDS & {*word.phrase} for word in case.intent.mentions):
        why += " Check-in finds checkpoints and LoRAs, no files of other kinds."
    return Verdict(why, near=near)


def _gated_away(case: Grounded, open_case: Grounded, now: datetime) -> Verdict:
    """The likeliest models, each with the gates that it does not pass."""
    assert open_case.found is not None
    near = []
    for one in np.argsort(-open_case.odds, kind="stable")[:_NEAR]:
        if probability(open_case.odds)[one] < SLIGHT:
            break
        entry = _newest(open_case, int(open_case.found.cards[one]))
        alone = case.library.at(np.array([entry.position]))
        failed = [gate.words for gate in case.gates if not gate.keeps(alone)]
        near.append(NearMiss(entry.card, joined(failed, "and")))
    first = _newest(open_case, int(open_case.found.cards[int(np.argmax(open_case.odds))]))
    demands = " ".join(gate.words for gate in case.gates)
    asked = any(gate.kind in ("version", "build") for gate in case.gates)
    version = f", version {first.card.version}" if asked and first.card.version else ""
    why = f"No {demands} {case.what}; the newest {case.what} is from {day(first, now)}{version}."
    return Verdict(" ".join(why.split()), near=tuple(near))


def _newest(case: Grounded, card: int) -> CardView:
    return CardView(case.library.catalogue, case.chooser.best_build(case.chooser.builds(card)))


def _ungated(intent: Intent) -> Intent:
    return replace(
        intent,
        times=(),
        versions=(),
        order=None,
        base_model=None,
        other_bases=(),
        unwanted_bases=(),
        kind=None,
        builds=Builds(),
        origin=None,
        used=None,
    )
