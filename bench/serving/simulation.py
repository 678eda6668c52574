"""A discrete-event simulation of many cards: where jobs go decides how often bases are loaded.

Assumptions:
- Jobs arrive at random moments (Poisson), at a share of what the cards could draw if nothing was
  ever loaded. Which model a job is for follows Zipf's law.
- Models are LoRAs of some bases, each model of one base, drawn at random with the same law.
- A card draws one job at a time, in the order of arrival. It holds so many quantized bases; the
  least recently used goes first. LoRAs are bypass branches: to change one costs its own time only.
- Times are constant. They do not depend on what other cards do: the disk is fast enough for all.
- A job waits for a card that has its base for some time, then takes the first that is free: 1 s is
  what Ray Serve does unless RAY_SERVE_MULTIPLEXED_MODEL_ID_MATCHING_TIMEOUT_S says more.
- Nothing fails.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..table import table


@dataclass(frozen=True)
class Costs:
    """What is simulated, and its times in seconds."""

    cards: int = 8
    models: int = 1000
    bases: int = 40
    jobs: int = 100_000
    held: int = 4
    """Quantized bases that a card holds."""
    load: float = 0.7
    """Jobs that arrive, as a share of what the cards could draw."""
    draw: float = 4.0
    switch: float = 0.3
    """To put another LoRA on a base that the card holds."""
    fetch: float = 12.0
    """To load and quantize a base that it does not hold."""
    zipf: float = 1.1


@dataclass
class _Card:
    """One card: when it is free, and what it holds."""

    free: float = 0.0
    bases: OrderedDict[int, None] = field(default_factory=OrderedDict)
    model: int = -1

    def serve(self, now: float, model: int, base: int, costs: Costs) -> tuple[float, bool]:
        """Draw a job; returns when it is done, and whether its base was loaded."""
        missing = base not in self.bases
        spent = costs.draw + (costs.fetch if missing else 0)
        spent += costs.switch if self.model != model else 0
        self.bases[base] = None
        self.bases.move_to_end(base)
        if len(self.bases) > costs.held:
            self.bases.popitem(last=False)
        self.model = model
        self.free = max(now, self.free) + spent
        return self.free, missing


Choose = Callable[[list[_Card], float, int, int], _Card]


def in_turn() -> Choose:
    """Round robin."""
    turns = itertools.count()
    return lambda cards, now, model, base: cards[next(turns) % len(cards)]


def least_busy(cards: list[_Card], now: float, model: int, base: int) -> _Card:
    """The card that is free first."""
    return min(cards, key=lambda card: card.free)


def by_base(wait: float = 1.0) -> Choose:
    """As multiplexing does: a card that holds the base, unless another begins sooner by `wait`."""

    def choose(cards: list[_Card], now: float, model: int, base: int) -> _Card:
        first = least_busy(cards, now, model, base)
        having = [card for card in cards if base in card.bases]
        if not having:
            return first
        best = min(having, key=lambda card: card.free)
        return best if max(best.free, now) - max(first.free, now) <= wait else first

    return choose


def own_card(cards: list[_Card], now: float, model: int, base: int) -> _Card:
    """One card for each model, which has all its jobs."""
    return cards[model % len(cards)]


def simulate(costs: Costs, choose: Choose, chance: random.Random) -> dict[str, Any]:
    """Waiting times and loads of one way to choose cards."""
    cards = [_Card() for _ in range(costs.cards)]
    weights = [1 / (rank**costs.zipf) for rank in range(1, costs.models + 1)]
    popular = [1 / (rank**costs.zipf) for rank in range(1, costs.bases + 1)]
    base_of = chance.choices(range(costs.bases), popular, k=costs.models)
    times, loads = [], 0
    arrivals = list(_arrivals(costs, chance))
    for now, model in zip(
        arrivals, chance.choices(range(costs.models), weights, k=costs.jobs), strict=True
    ):
        base = base_of[model]
        end, missing = choose(cards, now, model, base).serve(now, model, base, costs)
        times.append(end - now)
        loads += missing
    span = max(card.free for card in cards)
    return {
        "a_minute": costs.jobs / span * 60,
        "p50": heapq.nsmallest(len(times) // 2, times)[-1],
        "p95": heapq.nlargest(len(times) // 20, times)[-1],
        "loads": loads,
        "load_share": loads * costs.fetch / (span * costs.cards),
    }


def compare(costs: Costs, chance: random.Random) -> tuple[dict[str, Any], str]:
    """All ways, on the same jobs; as data and as text."""
    ways = {
        "to a card that has the base, waiting 1 s": by_base(wait=1.0),
        "the same, waiting as long as a load": by_base(wait=costs.fetch),
        "to the first that is free": least_busy,
        "in turn (round robin)": in_turn(),
        "each model on one card": own_card,
    }
    seed = chance.random()
    found = {name: simulate(costs, way, random.Random(seed)) for name, way in ways.items()}
    heading = ["way", "jobs a minute", "p50 s", "p95 s", "bases loaded", "time for it"]
    rows = [
        [
            name,
            round(one["a_minute"], 1),
            round(one["p50"], 1),
            round(one["p95"], 1),
            one["loads"],
            f"{one['load_share']:.1%}",
        ]
        for name, one in found.items()
    ]
    return found, f"Simulated: {costs}\n{table([heading, *rows])}"


def _arrivals(costs: Costs, chance: random.Random) -> Iterator[float]:
    rate = costs.load * costs.cards / costs.draw
    now = 0.0
    for _ in range(costs.jobs):
        now += chance.expovariate(rate)
        yield now
