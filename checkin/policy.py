"""Which of the models that meet a request's demands is meant, or that it takes a question (rules 2 to 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .constraints import Constraint, apply, by_lineage, constraints, prefer
from .decision import NearMiss, Question
from .intent import Intent, Order
from .question import ask, day, month, newest
from .vocabulary import Entry
from .words import joined, stems

_SPOKEN = ("unwanted", "base model", "kind", "time", "style", "subject", "version")
"""The order in which people name demands: "no December watercolour", "no bridge v9"."""

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
    if intent.missing:
        return []
    return prefer([*intent.preferred, *intent.others], apply(demands, entries))


def decide(intent: Intent, left: Sequence[Entry], rank: Rank, *, understood: bool = True) -> Verdict:
    """Choose among `left`, the one or more models that meet all demands.

    `understood` is False where the request holds words that matter and were not understood, or says nothing that tells
    models apart: then several models are a question, never a guess (rule 8).
    """
    if len(left) == 1:
        return Verdict(_only(intent, left[0]), left[0])
    if not understood:
        unclear = f"I did not understand '{joined(intent.left_over, 'and')}'. " if intent.left_over else ""
        return _question(left, rank, unclear)
    if intent.order:
        return _by_order(intent, intent.order, left)
    lineages = by_lineage(left)
    if len(lineages) == 1:
        return _of_one_lineage(intent, left, rank)
    described = _described(intent, lineages)
    if described:
        words, builds = described
        verdict = _of_one_lineage(intent, builds, rank)
        return verdict if verdict.question else Verdict(f"The {what(intent)} described as {words}.", verdict.entry)
    return _question(left, rank)


def no_match(intent: Intent, entries: Sequence[Entry]) -> Verdict:
    """Nothing meets all demands: say so, with the nearest that would if one demand were dropped (rule 2)."""
    demands = constraints(intent)
    if intent.missing:
        return Verdict(f"There is no '{intent.missing}' here. {_offer(entries)}")
    misses = []
    for place, demand in _by_importance(demands):
        rest = apply([*demands[:place], *demands[place + 1 :]], entries)
        if rest:
            misses.append((demand, newest(rest)))
    spoken = sorted(demands, key=lambda demand: _SPOKEN.index(demand.kind))
    wanted = " ".join(demand.words for demand in spoken)
    if not misses:
        return Verdict(f"No model fits '{wanted}'. {_offer(entries)}")
    demand, entry = misses[0]
    others = " ".join(other.words for other in spoken if other is not demand and other.kind in ("style", "subject"))
    version = f", version {entry.card.version}" if demand.kind == "version" and entry.card.version else ""
    why = f"No {wanted}; the newest {others or 'other model'} is from {day(entry)}{version}."
    near = tuple(NearMiss(entry.card, demand.words) for demand, entry in misses)
    return Verdict(why, near=near)


def best_match(left: Sequence[Entry], rank: Rank, reason: str) -> Verdict:
    """In place of a question: the newest build of the lineage that fits the request's words best."""
    first = rank([newest(builds) for builds in by_lineage(left)])[0]
    builds = [entry for entry in left if entry.lineage == first.lineage]
    return Verdict(f"{reason}: the newest of the best match among {len(left)} models.", newest(builds))


def what(intent: Intent) -> str:
    """What the request is about, for a sentence: "realistic bear"."""
    subject = [intent.subject.words] if intent.subject else []
    return " ".join([*(term.words for term in intent.styles), *subject]) or "model"


def _only(intent: Intent, entry: Entry) -> str:
    if entry.card.id in intent.names:
        return "The request names this very model."
    demands = ", ".join(demand.words for demand in constraints(intent))
    unclear = f" I did not understand '{joined(intent.left_over, 'and')}'." if intent.left_over else ""
    return (f"The only model that fits {demands}." if demands else "The only model there is.") + unclear


def _by_order(intent: Intent, order: Order, left: Sequence[Entry]) -> Verdict:
    """A superlative picks by date or version (rule 3)."""
    key = (lambda entry: entry.order) if order.by == "date" else (lambda entry: (entry.number, entry.order))
    rows = sorted(left, key=key, reverse=order.newest)
    if order.n > len(rows):
        return Verdict(f"There are only {len(rows)} that fit {what(intent)}, so none is the {order.words}.")
    entry = rows[order.n - 1]
    return Verdict(f"The {order.words} of {len(left)} that fit {what(intent)}, from {day(entry)}.", entry)


def _of_one_lineage(intent: Intent, builds: Sequence[Entry], rank: Rank) -> Verdict:
    """Versions of one thing: the newest, or which month where a named time holds several (rules 4 and 5)."""
    if intent.times and not intent.versions and len({month(entry) for entry in builds}) > 1:
        return _question(builds, rank)
    entry = newest(builds)
    if len(builds) == 1:
        return Verdict(_only(intent, entry), entry)
    return Verdict(f"The newest of {len(builds)} builds of this {what(intent)}, from {day(entry)}.", entry)


def _described(intent: Intent, lineages: list[list[Entry]]) -> tuple[str, list[Entry]] | None:
    """The one lineage that most of the describing words fit, and those words (rule 6).

    A subject's own words describe too, where they say more than the subject: "retriever" of a dog.
    """
    kind = intent.subject
    narrower = (kind.words,) if kind and stems(kind.words) not in kind.keys else ()
    for words in ((*narrower, *intent.details), intent.scenery):
        fits = [
            [word for word in words if any(set(stems(word)) <= entry.words for entry in builds)] for builds in lineages
        ]
        most = max(map(len, fits))
        best = [position for position, fitting in enumerate(fits) if len(fitting) == most]
        if most and len(best) == 1:
            return joined([f"'{word}'" for word in fits[best[0]]], "and"), lineages[best[0]]
    return None


def _question(left: Sequence[Entry], rank: Rank, lead: str = "") -> Verdict:
    question = ask(left, rank, lead)
    return Verdict(f"{lead}{len(left)} models fit.", question=question)


def _by_importance(demands: Sequence[Constraint]) -> list[tuple[int, Constraint]]:
    """The demands with their places; what people give up first comes first, the subject last."""
    order = ("time", "version", "base model", "kind", "unwanted", "style", "subject")
    return sorted(enumerate(demands), key=lambda pair: order.index(pair[1].kind))


def _offer(entries: Sequence[Entry]) -> str:
    """What there is instead."""
    subjects = dict.fromkeys(entry.card.subjects[0] for entry in entries if entry.card.subjects)
    shown = list(subjects)[:8]
    more = " and more" if len(subjects) > len(shown) else ""
    return f"The repository has: {', '.join(shown)}{more}." if shown else "The repository names no subjects."
