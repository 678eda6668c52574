"""Which builds a version of a request means: "v2", "the one before v7", "the third build"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardSelection
from ...language.intent import VersionTerm

_SAVE = re.compile(r"(?:epoch|step)\d")
_COMPARED = {
    "below": operator.lt,
    "above": operator.gt,
    "at most": operator.le,
    "at least": operator.ge,
}


def version_test(term: VersionTerm) -> Callable[[CardSelection], CardSelection]:
    """A function that keeps the builds whose version is meant."""

    def keeps(entries: CardSelection) -> CardSelection:
        # "The third build" exists without numbers, too.
        any_build = term.relation in ("is", "nth", "newest")
        numbered = entries if any_build else entries.where(entries.columns.numbered)
        named = _of_number(term, numbered)
        return (
            numbered.at(numbered.positions[~np.isin(numbered.positions, named.positions)])
            if term.negated
            else named
        )

    return keeps


def _of_number(term: VersionTerm, entries: CardSelection) -> CardSelection:
    first = next(iter(term.numbers), ())
    number = entries.columns.number
    match term.relation:
        case "is":
            return _called(term, entries)
        case "below" | "above" | "at most" | "at least":
            compared = _COMPARED[term.relation]
            return entries.where(number.where(lambda own: compared(own, first)))
        case "between":
            return _between(term, entries)
        case "just before":
            return _next_build(entries, first, number.where(lambda own: own < first), 1)
        case "just after":
            return _next_build(entries, first, number.where(lambda own: own > first), -1)
        case "newest":
            return _newest(entries)
        case "nth":
            return entries.where(number.where(lambda own: own == first)) or _nth_oldest(
                entries, first[0]
            )


def _newest(entries: CardSelection) -> CardSelection:
    """The newest build of each lineage, with the others of its version: its epochs."""
    columns, own = entries.columns, entries.positions
    version = columns.lineage * (columns.number.codes.max(initial=0) + 1) + columns.number.codes
    newest = entries.lineages().best(columns.order[own]).positions
    numbered = newest[columns.numbered[newest]]
    return entries.at(own[np.isin(own, newest) | np.isin(version[own], version[numbered])])


def _called(term: VersionTerm, entries: CardSelection) -> CardSelection:
    number = entries.columns.number
    labels = [f"v{sign.join(map(str, one))}" for one in term.numbers for sign in (".", "")]
    # Sites leave the dot out: "_v40" of a download is 4.0.
    dotless = [f"v{one[0]}0" for one in term.numbers if len(one) == 1]
    labels += [f"step{one[0]}" for one in term.numbers if len(one) == 1]
    fits = number.where(lambda own: own in term.numbers)
    fits |= entries.columns.labels.any_of(labels)
    fits |= entries.columns.labels.any_of(dotless) & entries.columns.downloaded
    if (1,) in term.numbers:
        fits |= _unnumbered_first(entries)
    return entries.where(fits)


def _unnumbered_first(entries: CardSelection) -> Array:
    """Bool [all cards]: the oldest build of a lineage of which the others count from 2, and the
    saves of its training, if it alone has no version: "bruno" beside "bruno_v2".
    """
    columns, own = entries.columns, entries.positions
    saves = [one for one in columns.labels.values if _SAVE.match(one)]
    versioned = columns.numbered & ~columns.labels.any_of(saves)
    numbered, plain = own[versioned[own]], own[~versioned[own]]
    first = columns.number.where(lambda number: number == (1,))
    finished = columns.lineage[plain[columns.state_code[plain] == 0]]
    having, counts = np.unique(finished, return_counts=True)
    others = np.union1d(having[counts > 1], columns.lineage[own[first[own]]])
    lineages = np.intersect1d(columns.lineage[plain], columns.lineage[numbered])
    lineages = np.setdiff1d(lineages, others)
    oldest = entries.lineages().best(-columns.order[own]).positions
    begun = columns.lineage[np.intersect1d(oldest, plain)]
    fits = np.zeros(len(columns.lineage), bool)
    fits[plain] = np.isin(columns.lineage[plain], np.intersect1d(lineages, begun))
    return fits


def _between(term: VersionTerm, entries: CardSelection) -> CardSelection:
    """The builds between two versions: with the two themselves after "from", or if no other is."""
    first, last = sorted(term.numbers)
    number = entries.columns.number
    inner = entries.where(number.where(lambda own: first < own < last))
    if inner and term.words.startswith("between"):
        return inner
    return entries.where(number.where(lambda own: first <= own <= last))


def _next_build(
    entries: CardSelection, number: tuple[int, ...], side: Array, direction: int
) -> CardSelection:
    """The build of each lineage that comes right before or after that number.

    If any lineages have a build with the number, only these count. `side`, bool [all cards], says
    which builds lie on the wanted side of the number; `direction` is 1 to take the highest of them,
    -1 the lowest.
    """
    having = entries.where(entries.columns.number.where(lambda own: own == number))
    if having:
        lineage = entries.columns.lineage
        entries = entries.at(
            entries.positions[np.isin(lineage[entries.positions], lineage[having.positions])]
        )
    rank = direction * entries.columns.number_rank[entries.positions]
    nearest = entries.lineages().best(
        np.where(side[entries.positions], rank, rank.min(initial=0) - 1)
    )
    return nearest.where(side)


def _nth_oldest(entries: CardSelection, n: int) -> CardSelection:
    """The n-th oldest build of each lineage that has at least `n` builds."""
    groups = entries.lineages()
    oldest_first = np.lexsort((entries.columns.order[entries.positions], groups.number))
    sizes = np.bincount(groups.number, minlength=len(groups))
    starts = np.cumsum(sizes) - sizes
    return entries.at(entries.positions[oldest_first[starts[sizes >= n] + n - 1]])
