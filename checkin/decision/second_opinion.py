"""What a language model says where the evidence is not clear."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ..catalog.selection import CardSelection, CardView
from ..lexicon.sentences import again, say, sentence
from ..llm import NoAnswer
from .declined import declined
from .grounded import Grounded
from .overruled import named_by_words, near_by_words, with_left_out
from .question import MAX_CHOICES
from .reasoner import Opinion, Reasoner
from .selected import selected
from .shortlist import met_in, shortlist
from .verdict import Rank, Verdict
from .which import question_among

_ASKED: OrderedDict[tuple[str, str, tuple[str, ...]], tuple[str, ...]] = OrderedDict()
"""(profile, request, ids of the models shown) -> ids of the models that it wanted to ask about.

Empty where it did not want to ask. An answer of the user is for the question that they saw.
"""
_MAX_ASKED = 64
_MAX_NEAR = 3
_OVERRULED = sentence("{name} says that nothing fits. The words of the request say otherwise.")


def second_opinion(
    case: Grounded,
    offline: Verdict,
    reasoner: Reasoner,
    rank: Rank,
    now: datetime,
    answered: bool = False,
) -> Verdict:
    """The verdict of a language model on a request; `offline` is the one by evidence.

    `answered`: the user answers a question. Then the verdict is that question, and the model is
    asked again only if it is not known what it said. `rank` orders models without evidence. Where
    no answer can be used, or it finds nothing though the words of the request name models, the
    verdict is `offline`, with a notice.
    """
    shown = shortlist(case, offline, rank)
    if not shown:
        return offline
    key = (reasoner.profile.name, case.intent.request, shown.ids())
    opinion, notices = None, offline.notices
    if not answered or key not in _ASKED:
        try:
            opinion = _asked(case, reasoner, shown, now)
        except NoAnswer as error:
            notices = (*notices, not_heard(reasoner, error))
        named = named_by_words(case, offline)
        if opinion and named and opinion.outcome == "no_match":
            opinion, notices = None, (*notices, say(_OVERRULED, name=reasoner.profile.name))
        elif opinion and opinion.entries:
            opinion = with_left_out(opinion, named)
        _remember(key, opinion)
    if answered:
        return replace(_question(case, offline, shown, _ASKED[key], now), notices=notices)
    return _verdict(case, offline, opinion, now) if opinion else replace(offline, notices=notices)


def not_heard(reasoner: Reasoner, error: NoAnswer) -> str:
    """The notice that a language model gave no answer that can be used."""
    return say(
        "{name} was not heard: {reason}. Decided without it.",
        name=reasoner.profile.name,
        reason=again(str(error)),
    )


def _asked(case: Grounded, reasoner: Reasoner, shown: CardSelection, now: datetime) -> Opinion:
    fitting = case.library
    for gate in case.gates:
        fitting = gate.keeps(fitting)
    moment = now.isoformat(timespec="minutes")
    return reasoner.select(case.intent, shown, fitting, moment, met_in(case, shown))


def _remember(key: tuple[str, str, tuple[str, ...]], opinion: Opinion | None) -> None:
    asks = opinion is not None and opinion.outcome == "clarify"
    _ASKED[key] = tuple(view.id for view in opinion.entries) if opinion and asks else ()
    _ASKED.move_to_end(key)
    while len(_ASKED) > _MAX_ASKED:
        _ASKED.popitem(last=False)


def _question(
    case: Grounded, offline: Verdict, shown: CardSelection, ids: Sequence[str], now: datetime
) -> Verdict:
    """The question that the user answers: the language model's, else the one by evidence, else
    which of the first models is meant.
    """
    if offline.question and not ids:
        return offline
    views = shown.with_ids(ids) if ids else shown.lineages().first()[:MAX_CHOICES]
    return _among(case, views, now) if len(views) > 1 else offline


def _verdict(case: Grounded, offline: Verdict, opinion: Opinion, now: datetime) -> Verdict:
    if opinion.outcome == "no_match":
        verdict = declined(case, now)
        near = near_by_words(case, offline)
        known = {miss.card.id for miss in near}
        more = (miss for miss in verdict.near if miss.card.id not in known)
        verdict = replace(verdict, near=(*near, *more)[:_MAX_NEAR])
    elif opinion.outcome == "clarify":
        verdict = _among(case, opinion.entries, now)
    else:
        verdict = selected(case, [view.position for view in opinion.entries], now)
    return replace(verdict, why=opinion.why or verdict.why, notices=(), unused=())


def _among(case: Grounded, views: Sequence[CardView], now: datetime) -> Verdict:
    return question_among(case, [view.position for view in views], now)
