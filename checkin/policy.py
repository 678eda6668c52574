"""Which of the models that meet a request's demands is meant, or that it takes a question (rules 2 to 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

from .constraints import Constraint, apply, by_lineage, constraints, prefer
from .decision import NearMiss, Question
from .intent import Intent, Order
from .lexicon import kinds
from .question import ask, day, month, newest
from .vocabulary import Entry
from .words import joined, stems

_SPOKEN = ("unwanted", "base model", "time", "style", "subject", "version")
"""The order in which people name demands: "no December watercolour", "no bridge v9"."""

_GIVEN_UP = ("time", "version", "base model", "unwanted", "style", "subject")
"""What people rather do without, first."""
MONTH = timedelta(days=31)
_NEAR = 3
"""Models offered in place of a thing that nobody trained."""

Rank = Callable[[Sequence[Entry]], list[Entry]]


@dataclass(frozen=True)
class Verdict:
    """What the policy says: a model, a question, or nothing that fits; exactly one of the three."""

    why: str
    entry: Entry | None = None
    question: Question | None = None
    near: tuple[NearMiss, ...] = ()


def candidates(intent: Intent, entries: Sequence[Entry]) -> list[Entry]:
    """The models that meet all demands of the request, of the whole index (rule 1)."""
    named = [entry for entry in entries if entry.card.id in intent.names]
    demands = constraints(intent)
    if named:
        return apply(demands, named) or named
    if intent.missing and not intent.styles:
        return []
    left = prefer([*intent.preferred, *intent.others], apply(demands, entries))
    return [entry for entry in left if entry.card.kind == intent.kind] or left  # people say "checkpoint" of a LoRA


def decide(intent: Intent, left: Sequence[Entry], rank: Rank, now: datetime, *, understood: bool = True) -> Verdict:
    """Choose among `left`, the one or more models that meet all demands. Days and months are those of `now`'s zone.

    `understood` is False where the request holds words that matter and were not understood, or says nothing that tells
    models apart: then several models are a question, never a guess (rule 8).
    """
    if len(left) == 1:
        return Verdict(_only(intent, left[0]), left[0])
    if not understood:
        unclear = f"I did not understand '{joined(intent.left_over, 'and')}'. " if intent.left_over else ""
        return _question(left, rank, now, unclear)
    words, described = _described(intent, left)
    if intent.order:
        return _by_order(intent, intent.order, described, now)
    if len(by_lineage(described)) > 1:
        return _question(described, rank, now)
    verdict = _of_one_lineage(intent, described, rank, now)
    if words and verdict.entry:
        return Verdict(f"The {what(intent) or 'model'} described as {words}.", verdict.entry)
    return verdict


def no_match(intent: Intent, entries: Sequence[Entry], now: datetime) -> Verdict:
    """Nothing meets all demands: say so, with the nearest that would if one demand were dropped (rule 2)."""
    demands = constraints(intent)
    if intent.missing and not intent.styles:
        near = tuple(NearMiss(entry.card, intent.missing) for entry in _akin(intent.missing, entries))
        return Verdict(f"There is no '{intent.missing}' here. {_offer(entries)}", near=near)
    misses = _relaxations(demands, entries)
    wanted = _spoken(demands)
    if not misses:
        return Verdict(f"No model fits '{wanted}'. {_offer(entries)}")
    dropped, entry = misses[0]
    others = _spoken([other for other in demands if other not in dropped and other.kind in ("style", "subject")])
    asked_version = any(demand.kind == "version" for demand in dropped)
    version = f", version {entry.card.version}" if asked_version and entry.card.created_at else ""
    why = f"No {wanted}; the newest {others or 'other model'} is from {day(entry, now)}{version}."
    near = tuple(NearMiss(entry.card, joined([one.words for one in dropped], "and")) for dropped, entry in misses)
    return Verdict(why, near=near)


def best_match(left: Sequence[Entry], rank: Rank, reason: str) -> Verdict:
    """In place of a question: the newest build of the lineage that fits the request's words best."""
    first = rank([newest(builds) for builds in by_lineage(left)])[0]
    builds = [entry for entry in left if entry.lineage == first.lineage]
    return Verdict(f"{reason}: the newest of the best match among {len(left)} models.", newest(builds))


def what(intent: Intent) -> str:
    """What the request is about, for a sentence: "realistic bear"."""
    return _spoken([demand for demand in constraints(intent) if demand.kind in ("style", "subject")])


def _spoken(demands: Sequence[Constraint]) -> str:
    """Demands in the order in which people name them."""
    return " ".join(demand.words for demand in sorted(demands, key=lambda demand: _SPOKEN.index(demand.kind)))


def _only(intent: Intent, entry: Entry) -> str:
    if entry.card.id in intent.names:
        return "The request names this very model."
    demands = _spoken(constraints(intent))
    unclear = f" I did not understand '{joined(intent.left_over, 'and')}'." if intent.left_over else ""
    return (f"The only model that fits '{demands}'." if demands else "The only model there is.") + unclear


def _by_order(intent: Intent, order: Order, left: Sequence[Entry], now: datetime) -> Verdict:
    """A superlative picks by date or version (rule 3); what has none is not in the row."""
    models = f"{what(intent)} models".strip()
    if order.by == "date":
        rows = [entry for entry in left if entry.card.created_at] or list(left)
        rows.sort(key=lambda entry: entry.order, reverse=order.newest)
    else:
        rows = [entry for entry in left if entry.number] or list(left)
        rows.sort(key=lambda entry: (entry.number, entry.order), reverse=order.newest)
    if order.n > len(rows):
        return Verdict(f"There are only {len(rows)} {models}, so none is the {order.words}.")
    entry = rows[order.n - 1]
    return Verdict(f"The {order.words} of {len(left)} {models}, from {day(entry, now)}.", entry)


def _of_one_lineage(intent: Intent, builds: Sequence[Entry], rank: Rank, now: datetime) -> Verdict:
    """Versions of one thing: the newest, or which month where a long time is named that holds several (rules 4, 5)."""
    named = [period for time in intent.times if not time.negated for period in time.periods]
    long = len(named) > 1 or any(period.longer_than(MONTH) for period in named)
    if long and not intent.versions and len({month(entry, now) for entry in builds}) > 1:
        return _question(builds, rank, now)
    entry = newest(builds)
    if len(builds) == 1:
        return Verdict(_only(intent, entry), entry)
    return Verdict(
        f"The newest of {len(builds)} builds of this {what(intent) or 'model'}, from {day(entry, now)}.", entry
    )


def _described(intent: Intent, left: Sequence[Entry]) -> tuple[str, list[Entry]]:
    """The describing words that tell lineages apart, and the models of the lineages that have them all (rule 6).

    A subject's own words describe too, where they say more than the subject: "retriever" of a dog. Where no lineage
    has all the words that any has, or all have the same, nothing is decided: no words, and `left` as it is.
    """
    lineages = by_lineage(left)
    kind = intent.subject
    narrower = (kind.words,) if kind and stems(kind.words) not in kind.keys else ()
    around = (
        () if intent.order else intent.scenery
    )  # a superlative is of all the things, whatever they are drawn beside
    for words in ((*narrower, *intent.details), around):
        has = [
            {word for word in words if any(set(stems(word)) <= entry.words for entry in builds)} for builds in lineages
        ]
        every = set().union(*has)
        best = [builds for builds, own in zip(lineages, has, strict=True) if own == every]
        if every and 0 < len(best) < len(lineages):
            spoken = joined([f"'{word}'" for word in words if word in every], "and")
            return spoken, [entry for builds in best for entry in builds]
    return "", list(left)


def _question(left: Sequence[Entry], rank: Rank, now: datetime, lead: str = "") -> Verdict:
    return question_about(left, rank, now, lead=lead)


def question_about(
    left: Sequence[Entry], rank: Rank, now: datetime, attribute: str | None = None, lead: str = ""
) -> Verdict:
    """A question that tells several models apart, by `attribute` where it does."""
    return Verdict(f"{lead}{len(left)} models fit.", question=ask(left, rank, now, lead, attribute))


def _relaxations(demands: list[Constraint], entries: Sequence[Entry]) -> list[tuple[list[Constraint], Entry]]:
    """(demands dropped, newest model that meets the others) for the fewest demands; what is given up first is first."""
    first = sorted(demands, key=lambda demand: _GIVEN_UP.index(demand.kind))
    for count in range(1, len(first)):
        found = []
        for dropped in combinations(first, count):
            rest = apply([demand for demand in demands if demand not in dropped], entries)
            if rest:
                found.append((list(dropped), newest(rest)))
        if found:
            return found
    return []


def _akin(missing: str, entries: Sequence[Entry]) -> list[Entry]:
    """The newest of the things that are most nearly of the same kind: for a wolf, other animals."""
    kind = kinds(stems(missing)) or kinds(stems(missing)[-1:])
    shared = {id(entry): len(kind & entry.subjects) for entry in entries}
    most = max(shared.values(), default=0)
    nearest = [entry for entry in entries if most and shared[id(entry)] == most]
    builds = [newest(lineage) for lineage in by_lineage(nearest)]
    return sorted(builds, key=lambda entry: entry.order, reverse=True)[:_NEAR]


def _offer(entries: Sequence[Entry]) -> str:
    """What there is instead."""
    subjects = dict.fromkeys(entry.card.subjects[0] for entry in entries if entry.card.subjects)
    shown = list(subjects)[:8]
    more = " and more" if len(subjects) > len(shown) else ""
    return f"The repository has: {', '.join(shown)}{more}." if shown else "The repository names no subjects."
