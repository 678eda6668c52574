"""Which of the models that meet a request's demands is meant, or that it takes a question (rules 2
to 8).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from math import comb

import numpy as np

from ..catalog.cards import Card
from ..catalog.duplicates import without_duplicates
from ..catalog.selection import CardSelection, CardView
from ..language.intent import Intent, Order
from ..lexicon import kinds
from ..lexicon.spelling import joined, stems
from .constraints import Constraint, apply, constraints, prefer
from .decision import NearMiss, Question
from .question import ask, day, month_codes

_SPOKEN = ("unwanted", "base model", "time", "style", "subject", "version")
"""The order in which people name demands: "no December watercolour", "no bridge v9"."""

_MAX_WAYS = 300
"""Of dropping so many demands: all up to ten demands, two of up to 25."""
_GIVEN_UP = ("time", "version", "base model", "unwanted", "style", "subject")
"""What people rather do without, first."""
MONTH = timedelta(days=31)
_NEAR = 3
"""Models offered in place of a thing that nobody trained."""

_RUNNERS_UP = 3

Rank = Callable[[Sequence[CardView]], CardSelection]


@dataclass(frozen=True)
class Verdict:
    """What the policy says: a model, a question, or nothing that fits; exactly one of the three."""

    why: str
    entry: CardView | None = None
    question: Question | None = None
    near: tuple[NearMiss, ...] = ()
    row: CardSelection | None = None
    """Where a superlative decided: the models beside the one that it picked, and that one."""


def candidates(intent: Intent, entries: CardSelection) -> CardSelection:
    """The models that meet all demands of the request, of the whole index (rule 1); files of one
    content once.
    """
    return without_duplicates(_meeting(intent, entries))


def _meeting(intent: Intent, entries: CardSelection) -> CardSelection:
    named = entries.with_ids(intent.names)
    demands = constraints(intent)
    if intent.missing and not intent.styles and not named:
        return entries[:0]
    # A superlative is of all the things, whatever they are drawn beside.
    wishes = intent.others if intent.order else (*intent.preferred, *intent.others)
    left = prefer(wishes, _as_far_as_they_go(demands, named) if named else apply(demands, entries))
    of_kind = left.where(left.columns.kind.where(lambda kind: kind == intent.kind))
    return of_kind or left  # people say "checkpoint" of a LoRA


def _as_far_as_they_go(demands: Sequence[Constraint], named: CardSelection) -> CardSelection:
    """Those of the models that the request names which meet its demands; one that none of them
    meets says nothing.
    """
    for demand in demands:
        named = demand.keeps(named) or named
    return named


def unused(intent: Intent, entry: CardView, entries: CardSelection) -> tuple[str, ...]:
    """The user's words for what the request demands and the model does not have, which was named or
    chosen by hand.
    """
    missed = [
        demand
        for demand in constraints(intent)
        if entry.position not in demand.keeps(entries).positions
    ]
    return tuple(demand.words for demand in missed)


def decide(
    intent: Intent, left: CardSelection, rank: Rank, now: datetime, *, understood: bool = True
) -> Verdict:
    """Choose among `left`, the one or more models that meet all demands.

    Days and months are those of `now`'s zone.

    `understood` is False where the request holds words that matter and were not understood, or says
    nothing that tells models apart: then several models are a question, never a guess (rule 8).
    """
    if len(left) == 1:
        return Verdict(_only(intent, left[0]), left[0])
    if not understood:
        unclear = (
            f"I did not understand '{joined(intent.unhandled, 'and')}'. "
            if intent.unhandled
            else ""
        )
        return _question(left, rank, now, unclear)
    words, described = _described(intent, left)
    if intent.order:
        return _by_order(intent, intent.order, described, now)
    if len(described.lineages()) > 1:
        return _question(described, rank, now)
    verdict = _of_one_lineage(intent, described, rank, now)
    if words and verdict.entry:
        return Verdict(f"The {what(intent) or 'model'} described as {words}.", verdict.entry)
    return verdict


def no_match(intent: Intent, entries: CardSelection, now: datetime) -> Verdict:
    """Nothing meets all demands: say so, with the nearest that would if one demand were dropped
    (rule 2).
    """
    demands = constraints(intent)
    if intent.missing and not intent.styles:
        near = tuple(
            NearMiss(entry.card, intent.missing) for entry in _akin(intent.missing, entries)
        )
        return Verdict(f"There is no '{intent.missing}' here. {_offer(entries)}", near=near)
    misses = _relaxations(demands, entries)
    wanted = _spoken(demands)
    if not misses:
        return Verdict(f"No model fits '{wanted}'. {_offer(entries)}")
    dropped, entry = misses[0]
    others = _spoken(
        [other for other in demands if other not in dropped and other.kind in ("style", "subject")]
    )
    asked_version = any(demand.kind == "version" for demand in dropped)
    version = f", version {entry.card.version}" if asked_version and entry.card.created_at else ""
    why = f"No {wanted}; the newest {others or 'other model'} is from {day(entry, now)}{version}."
    near = tuple(
        NearMiss(entry.card, joined([one.words for one in dropped], "and"))
        for dropped, entry in misses
    )
    return Verdict(why, near=near)


def runners_up(verdict: Verdict, left: CardSelection) -> tuple[Card, ...]:
    """The next best beside the model that was chosen of `left`: its neighbours in the row, else the
    newest others.
    """
    row = left.newest_few(_RUNNERS_UP + 1) if verdict.row is None else verdict.row
    others = [
        entry.card for entry in row if verdict.entry and entry.position != verdict.entry.position
    ]
    return tuple(others[:_RUNNERS_UP])


def best_match(left: CardSelection, rank: Rank, reason: str) -> Verdict:
    """In place of a question: the newest build of the lineage that fits the request's words
    best.
    """
    first = rank(left.lineages().newest())[0]
    return Verdict(f"{reason}: the newest of the best match among {len(left)} models.", first)


def what(intent: Intent) -> str:
    """What the request is about, for a sentence: "realistic bear"; nothing where it names the
    model.
    """
    if intent.names:
        return ""
    return _spoken(
        [demand for demand in constraints(intent) if demand.kind in ("style", "subject")]
    )


def _spoken(demands: Sequence[Constraint]) -> str:
    """Demands in the order in which people name them."""
    return " ".join(
        demand.words for demand in sorted(demands, key=lambda demand: _SPOKEN.index(demand.kind))
    )


def _only(intent: Intent, entry: CardView) -> str:
    if entry.card.id in intent.names:
        return "The request names this very model."
    demands = _spoken(constraints(intent))
    unclear = (
        f" I did not understand '{joined(intent.unhandled, 'and')}'." if intent.unhandled else ""
    )
    return (
        f"The only model that fits '{demands}'." if demands else "The only model there is."
    ) + unclear


def _by_order(intent: Intent, order: Order, left: CardSelection, now: datetime) -> Verdict:
    """A superlative picks by date or version (rule 3); what has none is not in the row."""
    models = f"{what(intent)} models".strip()
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
        row=rows[max(order.n - 2, 0) : order.n + _RUNNERS_UP],
    )


def _of_one_lineage(intent: Intent, builds: CardSelection, rank: Rank, now: datetime) -> Verdict:
    """Versions of one thing: the newest, or which month where a long time is named that holds
    several (rules 4, 5).
    """
    named = [period for time in intent.times if not time.negated for period in time.periods]
    long = len(named) > 1 or any(period.longer_than(MONTH) for period in named)
    if long and not intent.versions and len(month_codes(builds, now)[0]) > 1:
        return _question(builds, rank, now)
    entry = builds.newest()
    if len(builds) == 1:
        return Verdict(_only(intent, entry), entry)
    return Verdict(
        f"The newest of {len(builds)} builds of this {what(intent) or 'model'}, from "
        f"{day(entry, now)}.",
        entry,
    )


def _described(intent: Intent, left: CardSelection) -> tuple[str, CardSelection]:
    """The describing words that tell lineages apart, and the models of the lineages that have them
    all (rule 6).

    A subject's own words describe too, where they say more than the subject: "retriever" of a dog.
    Where no lineage has all the words that any has, or all have the same, nothing is decided: no
    words, and `left` as it is.
    """
    lineages = left.lineages()
    kind = intent.subject
    narrower = (kind.words,) if kind and stems(kind.words) not in kind.keys else ()
    around = (
        () if intent.order else intent.scenery
    )  # a superlative is of all the things, whatever they are drawn beside
    for words in ((*narrower, *intent.details), around):
        shown = [(word, lineages.any(left.columns.words.all_of(stems(word)))) for word in words]
        every = [word for word, has in shown if has.any()]
        best = np.all([has for _, has in shown if has.any()], axis=0)
        if every and 0 < best.sum() < len(lineages):
            return joined([f"'{word}'" for word in every], "and"), lineages.only(best)
    return "", left


def _question(left: CardSelection, rank: Rank, now: datetime, lead: str = "") -> Verdict:
    return question_about(left, rank, now, lead=lead)


def question_about(
    left: CardSelection, rank: Rank, now: datetime, attribute: str | None = None, lead: str = ""
) -> Verdict:
    """A question that tells several models apart, by `attribute` where it does."""
    return Verdict(f"{lead}{len(left)} models fit.", question=ask(left, rank, now, lead, attribute))


def _relaxations(
    demands: list[Constraint], entries: CardSelection
) -> list[tuple[list[Constraint], CardView]]:
    """(demands dropped, newest model that meets the others) for the fewest demands; what is given
    up first is first.

    Only as many ways of dropping them are tried as a person waits for.
    """
    first = sorted(demands, key=lambda demand: _GIVEN_UP.index(demand.kind))
    for count in range(1, len(first)):
        if comb(len(first), count) > _MAX_WAYS:
            return []
        found = []
        for dropped in combinations(first, count):
            rest = apply([demand for demand in demands if demand not in dropped], entries)
            if rest:
                found.append((list(dropped), rest.newest()))
        if found:
            return found
    return []


def _akin(missing: str, entries: CardSelection) -> CardSelection:
    """The newest of the things that are most nearly of the same kind: for a wolf, other animals."""
    kind = kinds(stems(missing)) or kinds(stems(missing)[-1:])
    shared = np.zeros(len(entries.columns.made), np.int64)
    for one in kind:
        shared += entries.columns.subjects.any_of((one,))
    most = shared[entries.positions].max(initial=0)
    return (
        entries.where(shared == most).lineages().newest().newest_first()[:_NEAR]
        if most
        else entries[:0]
    )


def _offer(entries: CardSelection) -> str:
    """What there is instead."""
    different = entries.groups(entries.columns.named.codes[entries.positions]).first()
    subjects = dict.fromkeys(entry.card.subjects[0] for entry in different if entry.card.subjects)
    shown = list(subjects)[:8]
    more = " and more" if len(subjects) > len(shown) else ""
    return (
        f"The repository has: {', '.join(shown)}{more}."
        if shown
        else "The repository names no subjects."
    )
