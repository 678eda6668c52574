"""The models that Repo Check-in offers in place of what it decided, each ready to be chosen by
hand.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....checkin import Card, Decision, Repository
from ....checkin.catalog.reference import PinnedModel, Reference
from ....checkin.decision.resolve import find


@dataclass(frozen=True)
class Offer:
    """One model to choose."""

    card: Card
    reason: str = ""
    """Why it is offered, in words; a runner-up needs none."""


def offers(decision: Decision) -> list[Offer]:
    """The near misses, or the runners-up of the model that was selected."""
    near = [
        Offer(miss.card, f"without “{miss.dropped}”" if miss.dropped else "")
        for miss in decision.near
    ]
    return near or [Offer(card) for card in decision.others]


def made_with(
    made: PinnedModel | None, decision: Decision, answers: tuple[str, ...], repository: Repository
) -> tuple[list[str], list[Offer]]:
    """What to say and to offer where the same request and answers chose another model when the
    workflow was saved.
    """
    same_words = made and made.is_for(decision.request) and made.answers == answers
    if not made or not same_words or (decision.card and made.reference.fits(decision.card)):
        return [], []
    entry, _ = find(made.reference, repository.catalogue())
    said = f"This workflow was made with {made.reference}{'' if entry else ', which is not here'}."
    return [said], [Offer(entry.card, "made with it")] if entry else []


def record(card: Card, request: str, answers: tuple[str, ...] = ()) -> str:
    """The text that chooses this model for a request, and that tells which one was chosen."""
    return PinnedModel(Reference.of(card), request, answers).to_text()
