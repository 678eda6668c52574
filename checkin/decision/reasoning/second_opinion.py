"""What a language model says where the evidence is not clear."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ...catalog.selection import CardSelection, CardView
from ...lexicon.sentences import again, say, sentence
from ...llm import NoAnswer
from ..candidates.grounded import Grounded
from ..declined import declined
from ..questions.question import MAX_CHOICES
from ..questions.which import question_among
from ..selected import selected
from ..several.parts import for_parts, undemanding
from ..verdict import Decided, Rank, Verdict
from .overruled import named_by_words, near_by_words, with_left_out
from .reasoner import Opinion, Reasoner
from .shortlist import met_in, shortlist

_ASKED: OrderedDict[tuple[str, str, tuple[str, ...]], tuple[str, ...]] = OrderedDict()
"""(profile, request, ids of the models shown) -> ids of the models that it wanted to ask about.

Empty where it did not want to ask. An answer of the user is for the question that they saw.
"""
_MAX_ASKED = 64
_MAX_NEAR = 3
_OVERRULED = sentence("{name} says that nothing fits. The words of the request say otherwise.")


def second_opinion(
    case: Grounded,
    whole: Grounded,
    offline: Verdict,
    reasoner: Reasoner,
    rank: Rank,
    now: datetime,
    answered: bool = False,
) -> Decided:
    """The verdict of a language model on a request, and the request as it was read for it.

    `offline` is the verdict by evidence, and `case` the request as it was read for that; `whole`
    has all of its words, also those that name what to draw on.

    `answered`: the user answers a question. Then the verdict is that question, and the model is
    asked again only if it is not known what it said. `rank` orders models without evidence. Where
    no answer can be used, or it finds nothing though the words of the request name models, the
    verdict is `offline`, with a notice.
    """
    shown = shortlist(case, offline, rank)
    if not shown:
        return offline, case
    key = (reasoner.profile.name, case.intent.request, shown.ids())
    opinion, notices = None, offline.notices
    if not answered or key not in _ASKED:
        try:
            opinion = _asked(case, whole, reasoner, shown, now)
        except NoAnswer as error:
            notices = (*notices, not_heard(reasoner, error))
        named = named_by_words(case, offline)
        if opinion and named and opinion.outcome == "no_match":
            opinion, notices = None, (*notices, say(_OVERRULED, name=reasoner.profile.name))
        elif opinion and opinion.entries:
            opinion = with_left_out(opinion, named)
        _remember(key, opinion)
    if answered:
        verdict, case = _question(case, offline, shown, _ASKED[key], now)
        return replace(verdict, notices=notices), case
    if opinion is None:
        return replace(offline, notices=notices), case
    return _decided(case, offline, opinion, now)


def not_heard(reasoner: Reasoner, error: NoAnswer) -> str:
    """The notice that a language model gave no answer that can be used."""
    return say(
        "{name} was not heard: {reason}. Decided without it.",
        name=reasoner.profile.name,
        reason=again(str(error)),
    )


def _asked(
    case: Grounded, whole: Grounded, reasoner: Reasoner, shown: CardSelection, now: datetime
) -> Opinion:
    """What it says, if what it chose passes the gates. Raises NoAnswer."""
    moment = now.isoformat(timespec="minutes")
    opinion = reasoner.select(whole.intent, shown, moment, met_in(whole, shown))
    fitting = case.library
    for gate in _for(case, opinion.entries, opinion.outcome == "select").gates:
        fitting = gate.keeps(fitting)
    if len(fitting.with_ids([entry.id for entry in opinion.entries])) < len(opinion.entries):
        raise NoAnswer(say("it chose a model that does not fit the request"))
    return opinion


def _for(case: Grounded, views: Sequence[CardView], together: bool) -> Grounded:
    """The request as it is read for models that were chosen: for its parts, if it is `together`.

    All of them are left, also those that are in the verdict without a language model alone.
    """
    together = together and len(views) > 1
    case = for_parts(case)[1] if together else undemanding(case)
    chosen = [view.position for view in views]
    return replace(case, left=case.left.at(np.union1d(case.left.positions, chosen).astype(int)))


def _remember(key: tuple[str, str, tuple[str, ...]], opinion: Opinion | None) -> None:
    asks = opinion is not None and opinion.outcome == "clarify"
    _ASKED[key] = tuple(view.id for view in opinion.entries) if opinion and asks else ()
    _ASKED.move_to_end(key)
    while len(_ASKED) > _MAX_ASKED:
        _ASKED.popitem(last=False)


def _question(
    case: Grounded, offline: Verdict, shown: CardSelection, ids: Sequence[str], now: datetime
) -> Decided:
    """The question that the user answers: the language model's, else the one by evidence, else
    which of the first models is meant.
    """
    if offline.question and not ids:
        return offline, case
    views = shown.with_ids(ids) if ids else shown.lineages().first()[:MAX_CHOICES]
    return _among(case, views, now) if len(views) > 1 else (offline, case)


def _decided(case: Grounded, offline: Verdict, opinion: Opinion, now: datetime) -> Decided:
    if opinion.outcome == "no_match":
        verdict = declined(case, now)
        near = near_by_words(case, offline)
        known = {miss.card.id for miss in near}
        more = (miss for miss in verdict.near if miss.card.id not in known)
        verdict = replace(verdict, near=(*near, *more)[:_MAX_NEAR])
    elif opinion.outcome == "clarify":
        verdict, case = _among(case, opinion.entries, now)
    else:
        case = _for(case, opinion.entries, together=True)
        verdict = selected(case, [view.position for view in opinion.entries], now)
    return replace(verdict, why=opinion.why or verdict.why, notices=(), unused=()), case


def _among(case: Grounded, views: Sequence[CardView], now: datetime) -> Decided:
    case = _for(case, views, together=False)
    return question_among(case, [view.position for view in views], now), case
