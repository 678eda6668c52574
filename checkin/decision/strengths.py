"""The strengths at which the LoRAs of one picture are applied.

One LoRA keeps the strength that its card recommends. The changes of several add up on the same
layers, so each is applied more weakly: n LoRAs at n ** -0.25 of their own strengths, which is 0.84
for two, 0.76 for three and 0.71 for four. That lies between no change and n ** -0.5, at which the
sum of unrelated changes is as large as one of them. It is a rule of thumb and no measured
optimum.

A LoRA that makes its base fast (Lightning, LCM, DMD2) works at one strength only: it keeps its own
and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..catalog.cards import Card
from .few_steps import few_steps

STEP = 0.05
"""Strengths that are scaled are rounded to whole steps of this."""
_POWER = -0.25


def strengths(cards: Sequence[Card]) -> tuple[float, ...]:
    """The strength of each card, if all of them are used together; a checkpoint's stays 1."""
    counted = [card.kind == "lora" and few_steps(card) is None for card in cards]
    factor = max(sum(counted), 1) ** _POWER
    return tuple(
        _in_steps(card.strength * factor) if counts and factor < 1 else card.strength
        for card, counts in zip(cards, counted, strict=True)
    )


def _in_steps(strength: float) -> float:
    """The nearest whole step; a weak strength does not become 0."""
    steps = max(round(abs(strength) / STEP), 1) if strength else 0
    return math.copysign(round(steps * STEP, 2), strength)
