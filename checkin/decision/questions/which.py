"""The verdict that is a question which of several models is meant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardSelection, CardView
from ...lexicon.sentences import listed, say
from ...lexicon.spelling import as_written
from ..candidates.described import described
from ..candidates.grounded import Grounded
from ..candidates.likely import ranked
from ..candidates.namesakes import shared_name
from ..decision import Question
from ..verdict import Rank, Verdict
from .labels import called_as, month_codes
from .question import ask, ask_lineages

MONTH = timedelta(days=31)


def question_among(
    case: Grounded, positions: Sequence[int], now: datetime, of: str = ""
) -> Verdict:
    """The question which of some cards, the likeliest first, is meant; `of`: the words of the
    request for them, where it has others too.
    """
    builds = [case.left.at(_alike(case, one, positions)) for one in positions]
    together = case.left.at(np.concatenate([one.positions for one in builds]))
    if described(together)[together.positions].all():
        return question_about(case, together, now, of=of)
    name = case.their(shared_name(case, positions))
    called = {called_as(one[0]) for one in builds}
    if len(called) == 1 and as_written([*called], case.intent.request):
        name = name or called.pop()
    return Verdict(
        say("{number} models fit.", number=len(together)),
        question=ask_lineages(builds, now, name, of),
    )


def question_about(
    case: Grounded, left: CardSelection, now: datetime, about: str | None = None, of: str = ""
) -> Verdict:
    """The question that tells several described models apart, by `about` where that differs; `of`
    as in `question_among`.
    """
    words = listed([case.their(one) for one in case.intent.unhandled], "and")
    lead = say("I did not understand '{words}'. ", words=words) if words else ""
    question = ask(left, lambda entries: ranked(case, entries), now, lead, about, of)
    return Verdict(lead + say("{number} models fit.", number=len(left)), question=question)


def question_about_builds(case: Grounded, card: int, now: datetime) -> Verdict | None:
    """A question about the builds of a model: those left beside the newest, or the month."""
    if not any(term.relation == "newest" for term in case.intent.versions) or case.intent.order:
        return _question_about_month(case, card, now)
    builds = case.builds.of(card)
    older = case.left.at(builds[~case.builds.saves(builds)])
    return question_about(case, older, now) if len(older) > 1 else None


def _question_about_month(case: Grounded, card: int, now: datetime) -> Verdict | None:
    """A question about the month, where a time of more than a month is named and finished builds
    of one base model are from several months.
    """
    intent, columns = case.intent, case.left.columns
    named = [one for term in intent.times if not term.negated for one in term.periods]
    long = len(named) > 1 or any(one.longer_than(MONTH) for one in named)
    if not long or intent.order or intent.versions:
        return None
    builds = case.builds.of(card)
    same = columns.base_model.codes[builds] == columns.base_model.codes[card]
    finished = case.left.at(builds[same & ~case.builds.saves(builds)])
    several = len(month_codes(finished, now)[0]) > 1
    return question_about(case, finished, now, "month") if several else None


def best_match(case: Grounded, question: Question, is_answered: bool) -> Verdict:
    """The verdict that replaces a question: its likeliest model. `is_answered`: whether the user
    has answered others.
    """
    ids = list(dict.fromkeys(one for choice in question.choices for one in choice.card_ids))
    entry = CardView(case.left.catalogue, case.left.catalogue.position_of[ids[0]])
    many = len(ids)
    return Verdict(
        say(
            "Still several after your answers: the newest of the best match among {number} models.",
            number=many,
        )
        if is_answered
        else say("Several fit: the newest of the best match among {number} models.", number=many),
        entry,
    )


def in_order(case: Grounded, positions: Sequence[int], rank: Rank | None) -> Sequence[int]:
    """The likeliest first; of cards that are as likely as one another, as `rank` orders them."""
    if rank is None or case.found is None or len(positions) < 2:
        return positions
    lineage = case.left.columns.lineage
    odds = dict(zip(lineage[case.found.cards].tolist(), case.odds.tolist(), strict=True))
    ranked_first = rank(case.left.at(np.array(positions, np.int64))).positions.tolist()
    return sorted(ranked_first, key=lambda one: -round(odds.get(int(lineage[one]), -np.inf), 1))


def _alike(case: Grounded, card: int, others: Sequence[int]) -> Array:
    """The builds behind one choice: of its lineage, and of its base where another choice is of the
    same lineage.
    """
    builds = case.builds.of(card)
    lineage, base = case.left.columns.lineage, case.left.columns.base_model.codes
    same = [one for one in others if lineage[one] == lineage[card]]
    builds = builds if len(same) == 1 else builds[base[builds] == base[card]]
    first = np.array([card])
    return np.concatenate([first, builds[builds != card]])
