"""The question where readings of one request mean different models."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from ..candidates.grounded import Grounded
from ..candidates.likely import ranked
from ..decision import Question
from ..verdict import Verdict
from .question import ask, ask_lineages


def meant(case: Grounded, verdict: Verdict) -> list[int]:
    """The positions of the model that a verdict selects, or of those that it offers."""
    if verdict.entry:
        return [verdict.entry.position]
    position_of = case.library.catalogue.position_of
    choices = verdict.question.choices if verdict.question else ()
    return [position_of[choice.card_ids[0]] for choice in choices]


def question_of(case: Grounded, positions: Sequence[int], now: datetime) -> Question:
    """The question which of some models is meant, each of another reading of the request."""
    entries = case.library.at(np.array(positions, np.int64))
    if len(entries.lineages()) == len(entries):
        return ask_lineages([entries[i : i + 1] for i in range(len(entries))], now)
    return ask(entries, lambda some: ranked(case, some), now)
