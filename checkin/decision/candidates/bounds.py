"""Which models bound the one that is meant, and which lie within: "my bear before the blue one".

A bound is looked for by the same evidence as the model itself: first among builds of what is
wanted, then in the whole library.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardSelection
from ...language.intent import Bound, Intent, Order
from ...lexicon.sentences import say
from ..evidence.likelihood import probability
from ..gates.constraints import Constraint
from ..gates.within import Ends, inside, numbers_of
from .grounded import Grounded
from .likely import SLIGHT

_FITS, _AS_WELL = 0.5, 0.05
"""The least share of its words that a build must have to bound, and how far behind the best."""
_MOST = 24
"""The most combinations of builds that are tried."""


@dataclass(frozen=True)
class Within:
    """A request whose `case` has only models within its bounds, which are builds at `ends`."""

    case: Grounded
    ends: tuple[Ends, ...]


class NoSuchModel(Exception):
    """What a bound names is not in the library."""

    def __init__(self, bound: Bound, other: Intent) -> None:
        super().__init__(other.request)
        self.bound, self.other = bound, other


def all_within(case: Grounded) -> list[Within]:
    """The request with each choice of builds that may bound it; those that leave the same models
    are one.

    Raises NoSuchModel if what bounds it is not in the library.
    """
    wanted = _wanted(case)
    ends = [list(_ends(case, bound, wanted)) for bound in case.intent.bounds]
    different: dict[bytes, tuple[Ends, ...]] = {}
    for chosen in itertools.islice(itertools.product(*ends), _MOST):
        left = _left(case, chosen, _gates(case, chosen))
        different.setdefault(left.positions.tobytes(), chosen)
    return [Within(_narrowed(case, chosen), chosen) for chosen in different.values()]


def _wanted(case: Grounded) -> Array:
    """Int [cards]: all builds of the lineages that the other words of the request may mean."""
    if case.found is None or not case.telling:
        return case.library.positions[:0]
    lineage, positions = case.library.columns.lineage, case.library.positions
    likely = case.found.cards[probability(case.odds) >= SLIGHT]
    return positions[np.isin(lineage[positions], lineage[likely])]


def _ends(case: Grounded, bound: Bound, wanted: Array) -> Iterator[Ends]:
    if numbers_of(bound):
        yield ()
        return
    meant = []
    for other in bound.others:
        found = (
            _within_wanted(case, one, wanted) or _anywhere(case, one)
            for one in (other.otherwise, other)
            if one
        )
        builds = next(filter(None, found), None)
        if builds is None:
            raise NoSuchModel(bound, other)
        meant.append(builds)
    yield from itertools.product(*meant)


def _within_wanted(case: Grounded, other: Intent, wanted: Array) -> Sequence[int]:
    """The builds of what is wanted that fit a bound, where it tells them apart."""
    library = case.library.at(wanted)
    if other.used:
        return _last_used(case, wanted)
    if not library:
        return ()
    said = Grounded.of(other, case.library, case.grounder, within=library, model=case.model)
    fitting = said.left.positions
    if said.telling:
        heads = [one for one in said.segments if one.segment.part == "head" or one.segment.look]
        covers = np.max([one.cover(fitting) for one in heads], axis=0, initial=0.0)
        fitting = fitting[covers >= max(_FITS, covers.max(initial=0.0) - _AS_WELL)]
        if len(fitting) == len(wanted):
            return ()
    elif not (said.gates or other.order):
        return ()
    return _of(said, fitting)


def _anywhere(case: Grounded, other: Intent) -> Sequence[int]:
    """The builds of any model that fit a bound."""
    if other.used:
        return _last_used(case, case.library.positions)
    said = Grounded.of(other, case.library, case.grounder, model=case.model)
    if not said.left:
        return ()
    if said.telling:
        chosen = said.chooser.choose(said.found, said.odds).positions
        if other.order or not chosen:
            return chosen
        return _of(said, np.concatenate([said.builds.of(one) for one in chosen]))
    named = any(gate.kind in ("version", "build", "time") for gate in said.gates)
    return _of(said, said.left.positions) if named or other.order else ()


def _of(said: Grounded, builds: Array) -> Sequence[int]:
    """Of some builds that which an order picks, else the finished ones."""
    if not len(builds):
        return ()
    if said.intent.order:
        return said.chooser.ordered(builds).positions
    finished = builds[said.left.columns.state_code[builds] == 0]
    return tuple((finished if len(finished) else builds).tolist())


def _last_used(case: Grounded, among: Array) -> Sequence[int]:
    used = [position for _, position in case.uses if position in among]
    return used[-1:]


def _narrowed(case: Grounded, chosen: Sequence[Ends]) -> Grounded:
    """The case with only the models within its bounds, which are the builds `chosen`."""
    gates = _gates(case, chosen)
    intent = replace(case.intent, order=case.intent.order or _order(case))
    left = _left(case, chosen, gates)
    found = Grounded.of(intent, case.library, case.grounder, within=left, model=case.model)
    return replace(found, gates=(*found.gates, *gates), uses=case.uses)


def _left(case: Grounded, chosen: Sequence[Ends], gates: Sequence[Constraint]) -> CardSelection:
    left = case.library
    for gate in gates:
        left = gate.keeps(left)
    return left if case.telling else _of_its_lineage(case.intent, chosen, left)


def _gates(case: Grounded, chosen: Sequence[Ends]) -> list[Constraint]:
    columns = case.library.columns
    return [
        _gate(bound, inside(bound, ends, columns))
        for bound, ends in zip(case.intent.bounds, chosen, strict=True)
    ]


def _gate(bound: Bound, fits: Array) -> Constraint:
    return Constraint("bound", bound.words, lambda entries: entries.where(fits))


def _of_its_lineage(intent: Intent, chosen: Sequence[Ends], left: CardSelection) -> CardSelection:
    """Of the lineage of a build that bounds, where the request names nothing else: "the newest
    before moss_v3".
    """
    others = [other for bound in intent.bounds for other in bound.others]
    if not all(other.names or other.versions or other.builds.wanted for other in others):
        return left
    lineage = left.columns.lineage
    own = lineage[[one for ends in chosen for one in ends]]
    return left.where(np.isin(lineage, own)) or left


def _order(case: Grounded) -> Order | None:
    """The order in which the model right beside a bound is the first."""
    for bound in case.intent.bounds:
        if bound.side == "after" and (bound.nearest or not case.telling):
            return Order(say("first {words}", words=case.their(bound.words)), newest=False)
        if not case.telling:
            return Order(say("last {words}", words=case.their(bound.words)))
    return None
