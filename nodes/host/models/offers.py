"""The models that Repo Check-in offers instead of its decision, and the texts that pin them."""

from __future__ import annotations

from dataclasses import dataclass

from ....checkin import Card, Decision
from ....checkin.catalog.reference import PinnedModel, Reference


@dataclass(frozen=True)
class Offer:
    """One model that the user may pick instead."""

    card: Card
    reason: str = ""
    """Why it is offered; empty for a runner-up."""


def offers(decision: Decision) -> list[Offer]:
    """The near misses, or the runners-up of the model that was selected."""
    near = [
        Offer(miss.card, f"without “{miss.dropped}”" if miss.dropped else "")
        for miss in decision.near
    ]
    return near or [Offer(card) for card in decision.others]


def pinned_text(card: Card, request: str, answers: tuple[str, ...] = ()) -> str:
    """The text that pins this model for a request, after answers to its questions."""
    return PinnedModel(Reference.of(card), request, answers).to_text()
