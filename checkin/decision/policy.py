"""The policy: which of the models that fit a request is meant, or whether to ask (rules 3 to 8).

`candidates` finds the models that fit (rule 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from ..catalog.cards import Card
from ..catalog.duplicates import without_duplicates
from ..catalog.selection import CardSelection, CardView
from ..catalog.subject_key import SubjectKey
from ..language.intent import Intent, Order
from ..lexicon.spelling import joined, stems
from .constraints import Constraint, Reading, apply, prefer, spoken
from .question import ask, day, month_codes
from .verdict import Rank, Verdict

MONTH = timedelta(days=31)
_RUNNERS_UP = 3


def candidates(reading: Reading, entries: CardSelection) -> CardSelection:
    """The models that meet all constraints of the request (rule 1).

    Of files with the same content only one counts.
    """
    return without_duplicates(_meeting(reading, entries))


def _meeting(reading: Reading, entries: CardSelection) -> CardSelection:
    intent, constraints = reading.intent, reading.constraints
    named = entries.with_ids(intent.names)
    if intent.missing and not intent.styles and not named:
        return entries[:0]
    # A superlative ranks all models of the subject, whatever else they show.
    wishes = intent.others if intent.order else (*intent.preferred, *intent.others)
    fitting = _met_by_some(constraints, named) if named else apply(constraints, entries)
    left = prefer(wishes, fitting)
    of_kind = left.where(left.columns.kind.where(lambda kind: kind == intent.kind))
    return of_kind or left  # people also call a LoRA a checkpoint


def _met_by_some(constraints: Sequence[Constraint], named: CardSelection) -> CardSelection:
    """The models that are named in the request and meet its constraints.

    A constraint that none of them meets is dropped.
    """
    for constraint in constraints:
        named = constraint.keeps(named) or named
    return named


def decide(
    reading: Reading, left: CardSelection, rank: Rank, now: datetime, *, understood: bool = True
) -> Verdict:
    """Choose among `left`, the models that meet all constraints; there is at least one.

    Days and months are in the time zone of `now`.

    `understood` is False where the request has words that matter and were not understood, or says
    nothing that tells models apart: then several models lead to a question, never to a guess (rule
    8).
    """
    intent = reading.intent
    if len(left) == 1:
        return Verdict(_only(reading, left[0]), left[0])
    if not understood:
        return question_about(left, rank, now, lead=_unclear(intent))
    words, described = _described(intent, left)
    if intent.order:
        return _by_order(reading, intent.order, described, now)
    if len(described.lineages()) > 1:
        return question_about(described, rank, now)
    verdict = _of_one_lineage(reading, described, rank, now)
    if words and verdict.entry:
        return Verdict(f"The {_what(reading) or 'model'} described as {words}.", verdict.entry)
    return verdict


def runners_up(verdict: Verdict, left: CardSelection) -> tuple[Card, ...]:
    """The next best models after the one that was chosen from `left`.

    Where a superlative decided, they are its neighbours in that order, else the newest other
    models.
    """
    near = verdict.neighbours
    near = left.newest_few(_RUNNERS_UP + 1) if near is None else near
    others = [
        entry.card for entry in near if verdict.entry and entry.position != verdict.entry.position
    ]
    return tuple(others[:_RUNNERS_UP])


def best_match(left: CardSelection, rank: Rank, reason: str) -> Verdict:
    """The verdict that replaces a question.

    It is the newest build of the lineage that fits the words of the request best.
    """
    first = rank(left.lineages().newest())[0]
    return Verdict(f"{reason}: the newest of the best match among {len(left)} models.", first)


def _what(reading: Reading) -> str:
    """What the request asks for, in words ("realistic bear"); "" if it names the model."""
    if reading.intent.names:
        return ""
    return spoken([one for one in reading.constraints if one.kind in ("style", "subject")])


def _unclear(intent: Intent) -> str:
    """A sentence about words that were not understood, with a space after it; "" without any."""
    words = intent.unhandled
    return f"I did not understand '{joined(words, 'and')}'. " if words else ""


def _only(reading: Reading, entry: CardView) -> str:
    if entry.card.id in reading.intent.names:
        return "The request names this very model."
    wanted = spoken(reading.constraints)
    only = f"The only model that fits '{wanted}'." if wanted else "The only model there is."
    return f"{only} {_unclear(reading.intent)}".rstrip()


def _by_order(reading: Reading, order: Order, left: CardSelection, now: datetime) -> Verdict:
    """Pick by date or version, as a superlative says (rule 3).

    Models without a date or version do not take part where others have one.
    """
    models = f"{_what(reading)} models".strip()
    if order.by == "date":
        rows = (left.where(left.columns.dated) or left).sorted(
            left.columns.order, descending=order.newest
        )
    else:
        rows = (left.where(left.columns.numbered) or left).sorted(
            left.columns.order, descending=order.newest
        )
        rows = rows.sorted(left.columns.number_rank, descending=order.newest)
    if order.n > len(rows):
        return Verdict(f"There are only {len(rows)} {models}, so none is the {order.words}.")
    entry = rows[order.n - 1]
    return Verdict(
        f"The {order.words} of {len(left)} {models}, from {day(entry, now)}.",
        entry,
        neighbours=rows[max(order.n - 2, 0) : order.n + _RUNNERS_UP],
    )


def _of_one_lineage(reading: Reading, builds: CardSelection, rank: Rank, now: datetime) -> Verdict:
    """The newest build of a lineage, or a question about the month (rules 4 and 5).

    It is a question where no version is named, the builds are from several months, and the request
    names a time of more than a month or several times.
    """
    intent = reading.intent
    named = [period for time in intent.times if not time.negated for period in time.periods]
    long = len(named) > 1 or any(period.longer_than(MONTH) for period in named)
    if long and not intent.versions and len(month_codes(builds, now)[0]) > 1:
        return question_about(builds, rank, now)
    entry = builds.newest()
    if len(builds) == 1:
        return Verdict(_only(reading, entry), entry)
    return Verdict(
        f"The newest of {len(builds)} builds of this {_what(reading) or 'model'}, from "
        f"{day(entry, now)}.",
        entry,
    )


def _described(intent: Intent, left: CardSelection) -> tuple[str, CardSelection]:
    """The models of the lineages that describing words single out (rule 6).

    Returns those words, quoted, and the models of the lineages that have all of them. Words that
    describe the subject are tried first, then words of the scene. The subject's own words describe
    too where they say more than its key: "retriever" for a dog. Nothing is decided where no lineage
    has all the words that some lineage has, or where all lineages have the same words: then the
    text is empty and all of `left` is returned.
    """
    lineages = left.lineages()
    kind = intent.subject
    narrower = (kind.words,) if kind and SubjectKey(stems(kind.words)) not in kind.keys else ()
    # A superlative ranks all models of the subject, whatever else they show.
    around = () if intent.order else intent.scenery
    for words in ((*narrower, *intent.details), around):
        shown = [(word, lineages.any(left.columns.words.all_of(stems(word)))) for word in words]
        every = [word for word, has in shown if has.any()]
        best = np.all([has for _, has in shown if has.any()], axis=0)
        if every and 0 < best.sum() < len(lineages):
            return joined([f"'{word}'" for word in every], "and"), lineages.only(best)
    return "", left


def question_about(
    left: CardSelection, rank: Rank, now: datetime, attribute: str | None = None, lead: str = ""
) -> Verdict:
    """A question that tells several models apart, by `attribute` where their values differ.

    `lead` is a sentence to begin with, with a space after it.
    """
    return Verdict(f"{lead}{len(left)} models fit.", question=ask(left, rank, now, lead, attribute))
