"""The strengths at which the LoRAs of one picture are applied.

One LoRA keeps the strength that its card recommends. The changes of several add up on the same
layers, so each is applied more weakly: n LoRAs at n ** -0.25 of their own strengths, which is 0.84
for two, 0.76 for three and 0.71 for four. That lies between no change and n ** -0.5, at which the
sum of unrelated changes is as large as one of them. It is a rule of thumb and no measured
optimum: the demo models cannot tell the strengths apart (`personalq bench two-loras --strengths`).

Only LoRAs that act on the same part of the picture count: two subjects in parts of their own (rule
13) keep their strengths.

A LoRA that makes its base fast (Lightning, LCM, DMD2) works at one strength only: it keeps its own
and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from ...catalog.cards import Card
from ...catalog.few_steps import few_steps

STEP = 0.05
"""Strengths that are scaled are rounded to whole steps of this."""
_POWER = -0.25


def strengths(cards: Sequence[Card], regions: Sequence[Collection[str]] = ()) -> tuple[float, ...]:
    """The strength of each card, if all of them are used together; a checkpoint's stays 1.

    `regions`: the ids of those that act in one part of the picture alone.
    """
    counted = {card.id for card in cards if card.kind == "lora" and few_steps(card) is None}
    whole = counted.difference(*regions)
    own = [counted.intersection(one) for one in regions]
    most = max(map(len, own), default=0)

    def together(card: Card) -> int:
        return len(whole) + next((len(one) for one in own if card.id in one), most)

    return tuple(
        _in_steps(card.strength * together(card) ** _POWER)
        if card.id in counted and together(card) > 1
        else card.strength
        for card in cards
    )


def _in_steps(strength: float) -> float:
    """The nearest whole step; a weak strength does not become 0."""
    steps = max(round(abs(strength) / STEP), 1) if strength else 0
    return math.copysign(round(steps * STEP, 2), strength)
