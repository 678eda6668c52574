"""What a request demands of a model, one constraint at a time, each with the user's words for it (rule 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .intent import Intent, Term, TimeTerm, VersionTerm
from .readers.base_models import covers
from .vocabulary import Entry
from .words import stems

Kind = Literal["subject", "style", "unwanted", "time", "version", "base model"]


@dataclass(frozen=True)
class Constraint:
    """One demand."""

    kind: Kind
    words: str
    keeps: Callable[[Sequence[Entry]], list[Entry]]
    """What is left of some models: most look at one at a time, "the one before v10" at all of them."""


def constraints(intent: Intent) -> list[Constraint]:
    """The demands of a request, the ones that other builds of the same thing may miss last."""
    found = []
    if intent.missing:
        found.append(_each("subject", intent.missing, lambda entry: entry.pure_style))
    elif intent.subject:
        found.append(Constraint("subject", intent.subject.words, _with_subject(intent.subject, bool(intent.styles))))
    found += [_each("style", term.words, _has_style(term)) for term in intent.styles]
    found += [_each("unwanted", f"not {term.words}", _lacks(term)) for term in intent.unwanted]
    if intent.base_model:
        wanted = intent.base_model
        found.append(_each("base model", wanted, lambda entry: covers(wanted, entry.card.base_model)))
    found += [_each("time", _named(term), _made_in(term)) for term in intent.times]
    return found + [Constraint("version", _named(term), _version(term)) for term in intent.versions]


def apply(demands: Sequence[Constraint], entries: Sequence[Entry]) -> list[Entry]:
    """The models that meet every demand; a pure style only where none of the subject does."""
    left = list(entries)
    for demand in demands:
        left = demand.keeps(left)
    if any(demand.kind == "subject" for demand in demands):
        left = [entry for entry in left if entry.subjects] or left
    return left


def prefer(terms: Sequence[Term], entries: Sequence[Entry]) -> list[Entry]:
    """The models that have each of some looks, places or further subjects, where any has it; else as before."""
    left = list(entries)
    for term in terms:
        left = [entry for entry in left if term.keys & (entry.styles | entry.subjects)] or left
    return left


def _each(kind: Kind, words: str, fits: Callable[[Entry], bool]) -> Constraint:
    return Constraint(kind, words, lambda entries: [entry for entry in entries if fits(entry)])


def _with_subject(term: Term, in_a_look: bool) -> Callable[[Sequence[Entry]], list[Entry]]:
    """The models of that subject; where no model has it in the look that is asked for, a pure style will do."""

    def keeps(entries: Sequence[Entry]) -> list[Entry]:
        return [entry for entry in entries if term.keys & entry.subjects or (in_a_look and entry.pure_style)]

    return keeps


def _has_style(term: Term) -> Callable[[Entry], bool]:
    return lambda entry: bool(term.keys & entry.styles)


def _lacks(term: Term) -> Callable[[Entry], bool]:
    if term.keys:
        return lambda entry: not term.keys & (entry.styles | entry.subjects)
    words = frozenset(stems(term.words))
    return lambda entry: not words <= entry.words


def _named(term: TimeTerm | VersionTerm) -> str:
    return f"not {term.words}" if term.negated else term.words


def _made_in(term: TimeTerm) -> Callable[[Entry], bool]:
    def fits(entry: Entry) -> bool:
        made = entry.card.created_at
        return made is not None and any(made in period for period in term.periods) != term.negated

    return fits


def _version(term: VersionTerm) -> Callable[[Sequence[Entry]], list[Entry]]:
    def keeps(entries: Sequence[Entry]) -> list[Entry]:
        numbered = [entry for entry in entries if entry.number]
        named = _of_number(term, numbered)
        return [entry for entry in numbered if entry not in named] if term.negated else named

    return keeps


def _of_number(term: VersionTerm, entries: list[Entry]) -> list[Entry]:
    first, last = term.numbers[0], term.numbers[-1]
    match term.relation:
        case "is":
            return [entry for entry in entries if entry.number in term.numbers]
        case "below":
            return [entry for entry in entries if entry.number < first]
        case "above":
            return [entry for entry in entries if entry.number > first]
        case "at most":
            return [entry for entry in entries if entry.number <= first]
        case "at least":
            return [entry for entry in entries if entry.number >= first]
        case "between":
            return [entry for entry in entries if first <= entry.number <= last]
        case "just before":
            return _beside(entries, first, lambda number: number < first, max)
        case "just after":
            return _beside(entries, first, lambda number: number > first, min)
        case "nth":
            return [entry for entry in entries if entry.number == first] or _nth_oldest(entries, first[0])


def _beside(entries: list[Entry], number: tuple[int, ...], side: Callable, pick: Callable) -> list[Entry]:
    """The build of each lineage next to that number; of the lineages that have it, where any has."""
    lineages = by_lineage(entries)
    having = [builds for builds in lineages if any(entry.number == number for entry in builds)]
    beside = [[entry for entry in builds if side(entry.number)] for builds in having or lineages]
    return [pick(builds, key=lambda entry: entry.number) for builds in beside if builds]


def _nth_oldest(entries: list[Entry], n: int) -> list[Entry]:
    builds = (sorted(lineage, key=lambda entry: entry.order) for lineage in by_lineage(entries))
    return [lineage[n - 1] for lineage in builds if len(lineage) >= n]


def by_lineage(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The models grouped by what they are builds of, in the order in which they stand."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.lineage, []).append(entry)
    return list(groups.values())
