"""What a query asks for, and the right answer: what the described cards say, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from .cards import Build
from .concepts import Concept, Variant

MONTH = timedelta(days=31)


@dataclass(frozen=True)
class Time:
    """A period [start, end), and the words for it."""

    words: str
    start: datetime
    end: datetime


@dataclass(frozen=True)
class Demand:
    """The parts of a query; None means that the query does not say it."""

    concept: Concept | None = None
    variant: Variant | None = None
    look: str | None = None
    not_look: str | None = None
    place: str | None = None
    version: int | None = None
    time: Time | None = None
    base_model: str | None = None
    order: tuple[str, int] | None = None
    """("newest" or "oldest", n): the n-th of them."""
    foreign: bool = False
    """Whether it names a subject that nobody trained."""


@dataclass(frozen=True)
class Truth:
    """One of three: a card, a question about some cards, or that nothing fits."""

    card: str | None = None
    ask_about: tuple[str, ...] = ()
    no_match: bool = field(default=False)


def truth(demand: Demand, builds: Sequence[Build]) -> Truth:
    """Return the right answer, which follows from the structure of the repository alone."""
    left = [build for build in builds if not demand.foreign and _fits(build, demand)]
    if not left:
        return Truth(no_match=True)
    if demand.order:
        which, n = demand.order
        row = sorted(left, key=lambda build: (build.made, build.version), reverse=which == "newest")
        return Truth(card=row[n - 1].id) if n <= len(row) else Truth(no_match=True)
    newest = max(left, key=lambda build: (build.made, build.version))
    one_lineage = len({build.lineage for build in left}) == 1
    long = demand.time is not None and demand.time.end - demand.time.start > MONTH
    months = {(build.made.year, build.made.month) for build in left}
    if len(left) == 1 or (one_lineage and not (long and len(months) > 1)):
        return Truth(card=newest.id)
    return Truth(ask_about=tuple(build.id for build in left))


def _fits(build: Build, demand: Demand) -> bool:
    one = build.lineage
    return (
        (demand.concept is None or one.concept is demand.concept)
        and (demand.variant is None or one.variant is demand.variant)
        and (demand.look is None or one.look == demand.look)
        and (demand.not_look is None or one.look != demand.not_look)
        and (demand.place is None or one.place == demand.place)
        and (demand.version is None or build.version == demand.version)
        and (demand.base_model is None or build.base_model == demand.base_model)
        and (demand.time is None or demand.time.start <= build.made < demand.time.end)
    )
