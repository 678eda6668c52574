"""Decides where other models bound the one that is meant.

Where a bound may be several builds, each is tried; answers that differ are a question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from ..lexicon.spelling import joined
from .bounds import NoSuchModel, Within, all_within
from .decision import NearMiss
from .differing import meant, question_of
from .grounded import SLIGHT, Grounded, likely
from .question import MAX_CHOICES, day
from .verdict import Verdict

_NEAR = 3
"""How many models are offered."""


def decide_bounded(
    case: Grounded, now: datetime, decide: Callable[[Grounded], Verdict]
) -> tuple[Verdict, Grounded]:
    """The verdict of `decide` on the models within the bounds of a request, with the case."""
    try:
        found = all_within(case)
    except NoSuchModel as none:
        which = "that you used is here" if none.other.used else f"here is '{none.other.request}'"
        why = f"No model {which}, so none is '{none.bound.words}'."
        return Verdict(why, near=_near(case)), case
    said = [(one, decide(one.case)) for one in found]
    fitting = [(one, verdict) for one, verdict in said if not verdict.declines]
    if not fitting:
        return _nothing_within(case, found[0], now, decide), case
    models = list(dict.fromkeys(one for _, verdict in fitting for one in meant(case, verdict)))
    if len(fitting) == 1 or len(models) == 1:
        return fitting[0][1], fitting[0][0].case
    why = f"{_may_be(case, fitting)} {len(models)} models fit."
    return Verdict(why, question=question_of(case, models, now)), case


def _may_be(case: Grounded, fitting: Sequence[tuple[Within, Verdict]]) -> str:
    """Which builds each bound may be: "'the blue one' may be pip_blue_v1 or pip_blue_v2."."""
    cards, said = case.library.catalogue.cards, []
    for place, bound in enumerate(case.intent.bounds):
        for side, other in enumerate(bound.others):
            ends = dict.fromkeys(one.ends[place][side] for one, _ in fitting if one.ends[place])
            if len(ends) > 1:
                names = joined([cards[end].name for end in ends])
                which = names if len(ends) <= MAX_CHOICES else f"one of {len(ends)} models"
                said.append(f"'{other.request}' may be {which}.")
    return " ".join(said)


def _nothing_within(
    case: Grounded, one: Within, now: datetime, decide: Callable[[Grounded], Verdict]
) -> Verdict:
    """That nothing lies within the bounds, and from when they are."""
    unbounded = decide(case)
    if unbounded.declines:
        return unbounded
    ends = case.library.at(np.array([end for ends in one.ends for end in ends], np.int64))
    bounds = joined([f"'{bound.words}'" for bound in case.intent.bounds], "and")
    dates = joined([f"{entry.card.name} is from {day(entry, now)}" for entry in ends], "and")
    what = f"No {case.what}" if case.what else "No model"
    return Verdict(f"{what} is {bounds}{': ' if dates else ''}{dates}.", near=_near(case))


def _near(case: Grounded) -> tuple[NearMiss, ...]:
    words = " ".join(bound.words for bound in case.intent.bounds)
    return tuple(NearMiss(view.card, words) for view in likely(case, SLIGHT)[:_NEAR])
