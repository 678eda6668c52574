"""The 500 queries of the benchmark.

350 have one right card, 100 need a question, and nothing fits the other 50.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import templates
from .cards import NOW, VERSIONS, Build, Lineage
from .concepts import LOOKS
from .demand import Demand, Time, Truth, truth
from .times import empty_times, long_times, short_times

COUNTS = {
    "single": {"temporal": 110, "version": 80, "style": 80, "usage": 80},
    "ambiguous": {"ambiguous": 100},
    "no-match": {"no-match": 50},
}
"""Group -> kind -> number of queries."""


@dataclass(frozen=True)
class Query:
    """A query and its right answer."""

    id: str
    text: str
    kind: str
    truth: Truth

    def as_instance(self) -> dict[str, Any]:
        """Return the query as one line of a queries.jsonl.

        An empty candidate pool means the whole repository.
        """
        return {
            "instance_id": self.id,
            "natural_language_query": self.text,
            "kind": self.kind,
            "candidate_pool": [],
            "ground_truth": {
                "checkpoint_id": self.truth.card,
                "requires_clarification": bool(self.truth.ask_about),
                "no_match": self.truth.no_match,
            },
            "acceptable": list(self.truth.ask_about),
        }


def make_queries(builds: Sequence[Build], seed: int) -> list[Query]:
    """Return all queries, each text once.

    A random query is used only if the policy's answer is of the wanted group.
    """
    chance = random.Random(f"queries {seed}")
    seen: set[str] = set()
    queries: list[Query] = []
    for group, kinds in COUNTS.items():
        for kind, count in kinds.items():
            drawn = _drawn(kind, builds, chance)
            while count:
                text, demand = next(drawn)
                right = truth(demand, builds)
                if text not in seen and _group(right) == group:
                    seen.add(text)
                    queries.append(Query(f"{kind}-{len(queries):03d}", text, kind, right))
                    count -= 1
    return queries


def _group(right: Truth) -> str:
    return "no-match" if right.no_match else "ambiguous" if right.ask_about else "single"


Maker = Callable[[Lineage, list[Build], random.Random, "Times"], tuple[Demand, Sequence[str]]]


@dataclass(frozen=True)
class Times:
    """Periods of up to a month, of several months, and ones in which nobody trained anything."""

    short: list[Time]
    long: list[Time]
    empty: list[Time]


def _drawn(
    kind: str, builds: Sequence[Build], chance: random.Random
) -> Iterator[tuple[str, Demand]]:
    """Yield endless queries of a kind, each about a random lineage of the repository."""
    by_lineage: dict[Lineage, list[Build]] = {}
    for build in builds:
        by_lineage.setdefault(build.lineage, []).append(build)
    lineages = list(by_lineage)
    times = Times(short_times(NOW, chance), long_times(NOW), empty_times(NOW))
    while True:
        lineage = chance.choice(lineages)
        demand, patterns = chance.choice(MAKERS[kind])(lineage, by_lineage[lineage], chance, times)
        yield templates.say(chance.choice(patterns), demand, lineage, chance), demand


def _hit(own: list[Build], times: list[Time], chance: random.Random) -> Time:
    """Return one of the periods in which the lineage has a build; any period if there is none."""
    hits = [time for time in times if any(time.start <= build.made < time.end for build in own)]
    return chance.choice(hits or times)


def _what(lineage: Lineage, chance: random.Random) -> dict[str, Any]:
    """Return how a person names a subject: by concept and look, by its own name, or by both."""
    return chance.choice(
        (
            {"concept": lineage.concept, "look": lineage.look},
            {"concept": lineage.concept, "variant": lineage.variant},
            {"concept": lineage.concept, "variant": lineage.variant, "look": lineage.look},
            {"concept": lineage.concept, "look": lineage.look, "place": lineage.place},
        )
    )


def _dated(lineage, own, chance, times):
    return Demand(**_what(lineage, chance), time=_hit(own, times.short, chance)), templates.DATED


def _concept_dated(lineage, own, chance, times):
    return Demand(concept=lineage.concept, time=_hit(own, times.short, chance)), templates.DATED


def _newest(lineage, own, chance, times):
    what = chance.choice((_what(lineage, chance), {"concept": lineage.concept}))
    return Demand(**what, order=("newest", 1)), templates.NEWEST


def _oldest(lineage, own, chance, times):
    return Demand(**_what(lineage, chance), order=("oldest", 1)), templates.OLDEST


def _second(lineage, own, chance, times):
    return Demand(**_what(lineage, chance), order=("newest", 2)), templates.SECOND


def _newest_of_time(lineage, own, chance, times):
    time = _hit(own, times.long, chance)
    return Demand(
        **_what(lineage, chance), time=time, order=("newest", 1)
    ), templates.NEWEST_OF_TIME


def _any_dated(lineage, own, chance, times):
    return Demand(time=_hit(own, times.short[:5], chance)), templates.ANY_DATED


def _versioned(lineage, own, chance, times):
    what = chance.choice((_what(lineage, chance), {"concept": lineage.concept}))
    return Demand(**what, version=chance.choice(own).version), templates.VERSIONED


def _style(lineage, own, chance, times):
    return Demand(**_what(lineage, chance)), templates.STYLED


def _place(lineage, own, chance, times):
    look, place = lineage.look, lineage.place
    return Demand(
        concept=lineage.concept, look=look, place=place
    ), templates.PLACED if place else templates.STYLED


def _not_look(lineage, own, chance, times):
    other = chance.choice([look for look in lineage.concept.looks if look != lineage.look])
    demand = Demand(concept=lineage.concept, variant=lineage.variant, not_look=other)
    return demand, templates.NOT_LOOK


def _based(lineage, own, chance, times):
    demand = Demand(concept=lineage.concept, look=lineage.look, base_model=own[0].base_model)
    return demand, templates.BASED


def _used(lineage, own, chance, times):
    return Demand(**_what(lineage, chance)), templates.USED


def _used_newest(lineage, own, chance, times):
    return Demand(concept=lineage.concept, order=("newest", 1)), templates.USED_NEWEST


def _bare(lineage, own, chance, times):
    return Demand(concept=lineage.concept), templates.BARE


def _bare_look(lineage, own, chance, times):
    return Demand(look=lineage.look), templates.LOOK_ALONE


def _look_dated(lineage, own, chance, times):
    return Demand(
        look=lineage.look, time=_hit(own, [*times.short, *times.long], chance)
    ), templates.LOOK_DATED


def _long(lineage, own, chance, times):
    return Demand(**_what(lineage, chance), time=_hit(own, times.long, chance)), templates.DATED


def _look_version(lineage, own, chance, times):
    return Demand(look=lineage.look, version=chance.choice(own).version), templates.LOOK_VERSION


def _too_high(lineage, own, chance, times):
    return Demand(
        concept=lineage.concept, version=VERSIONS + chance.randint(1, 40)
    ), templates.VERSIONED


def _no_look(lineage, own, chance, times):
    look = chance.choice([look for look in LOOKS if look not in lineage.concept.looks])
    return Demand(concept=lineage.concept, look=look), templates.STYLED


def _no_thing(lineage, own, chance, times):
    return Demand(look=lineage.look, foreign=True), templates.NO_THING


def _no_time(lineage, own, chance, times):
    return Demand(**_what(lineage, chance), time=chance.choice(times.empty)), templates.DATED


def _miss(lineage, own, chance, times):
    other = chance.choice(
        [time for time in times.short if time.words[0].isupper() and " " not in time.words]
    )
    return Demand(concept=lineage.concept, look=lineage.look, time=other), templates.DATED


MAKERS: dict[str, tuple[Maker, ...]] = {
    "temporal": (
        _dated,
        _dated,
        _concept_dated,
        _newest,
        _oldest,
        _second,
        _newest_of_time,
        _any_dated,
    ),
    "version": (_versioned,),
    "style": (_style, _style, _place, _not_look, _based),
    "usage": (_used, _used, _used_newest),
    "ambiguous": (_bare, _bare_look, _look_dated, _long, _look_version),
    "no-match": (_too_high, _no_look, _no_thing, _no_time, _miss),
}
