"""Decides where other models bound the one that is meant.

Where a bound may be several builds, each is tried; answers that differ are a question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ...lexicon.sentences import listed, quoted, say
from ..candidates.bounds import NoSuchModel, Within, all_within
from ..candidates.grounded import Grounded
from ..candidates.likely import SLIGHT, likely
from ..decision import NearMiss
from ..verdict import Decided, Verdict
from .differing import meant, question_of
from .labels import day
from .question import MAX_CHOICES

_NEAR = 3
"""How many models are offered."""


def decide_bounded(case: Grounded, now: datetime, decide: Callable[[Grounded], Decided]) -> Decided:
    """The verdict of `decide` on the models within the bounds of a request, with the case."""
    try:
        found = all_within(case)
    except NoSuchModel as none:
        bound, other = (case.their(one) for one in (none.bound.words, none.other.request))
        why = (
            say("No model that you used is here, so none is '{bound}'.", bound=bound)
            if none.other.used
            else say("No model here is '{other}', so none is '{bound}'.", other=other, bound=bound)
        )
        return Verdict(why, near=_near(case)), case
    said = [(one, *decide(one.case)) for one in found]
    fitting = [one for one in said if not one[1].declines]
    if not fitting:
        return _nothing_within(case, found[0], now, decide), case
    models = list(dict.fromkeys(one for _, verdict, _ in fitting for one in meant(case, verdict)))
    if len(fitting) == 1 or len(models) == 1:
        return fitting[0][1:]
    within = [one for one, _, _ in fitting]
    why = f"{_may_be(case, within)} {say('{number} models fit.', number=len(models))}"
    left = np.unique(np.concatenate([one.left.positions for _, _, one in fitting]))
    return Verdict(why, question=question_of(case, models, now)), replace(
        case, left=case.left.at(left)
    )


def _may_be(case: Grounded, fitting: Sequence[Within]) -> str:
    """Which builds each bound may be: "'the blue one' may be pip_blue_v1 or pip_blue_v2."."""
    cards, said = case.library.catalogue.cards, []
    for place, bound in enumerate(case.intent.bounds):
        for side, other in enumerate(bound.others):
            ends = dict.fromkeys(one.ends[place][side] for one in fitting if one.ends[place])
            if len(ends) > 1:
                names = listed([cards[end].name for end in ends])
                few = len(ends) <= MAX_CHOICES
                which = names if few else say("one of {number} models", number=len(ends))
                words = case.their(other.request)
                said.append(say("'{words}' may be {which}.", words=words, which=which))
    return " ".join(said)


def _nothing_within(
    case: Grounded, one: Within, now: datetime, decide: Callable[[Grounded], Decided]
) -> Verdict:
    """That nothing lies within the bounds, and from when they are."""
    unbounded, _ = decide(case)
    if unbounded.declines:
        return unbounded
    ends = case.library.at(np.array([end for ends in one.ends for end in ends], np.int64))
    bounds = listed([quoted(case.their(bound.words)) for bound in case.intent.bounds], "and")
    dates = listed(
        [say("{name} is from {day}", name=one.card.name, day=day(one, now)) for one in ends], "and"
    )
    why = (
        say("No {what} is {bounds}", what=case.what, bounds=bounds)
        if case.what
        else say("No model is {bounds}", bounds=bounds)
    )
    return Verdict(f"{why}: {dates}." if dates else f"{why}.", near=_near(case))


def _near(case: Grounded) -> tuple[NearMiss, ...]:
    words = " ".join(bound.words for bound in case.intent.bounds)
    return tuple(NearMiss(view.card, words) for view in likely(case, SLIGHT)[:_NEAR])
