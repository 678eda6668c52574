"""The model that a saved workflow was made with, which is also saved in a run's pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...checkin.catalog.reference import PinnedModel
from ...checkin.decision.resolve import find
from .models.decide import Decided
from .models.offers import Offer
from .saved_node import properties_of

PROVENANCE = "personalq_made_with"
"""The property of a Repo Check-in node that stores the model of its last decision, as the text of a
`PinnedModel`.
"""


@dataclass(frozen=True)
class Provenance:
    """The provenance in the properties of one node."""

    properties: dict[str, Any]

    @classmethod
    def of_node(cls, extra_pnginfo: dict[str, Any] | None, execution_id: str) -> Provenance:
        """The provenance of a node in the workflow that a run came with."""
        return cls(properties_of(extra_pnginfo, execution_id))

    def compare(self, decided: Decided, answers: tuple[str, ...]) -> tuple[list[str], list[Offer]]:
        """(notices, offers) if the same request and answers chose another model when the workflow
        was saved.

        Otherwise, and for a model that was picked by hand, both are empty.
        """
        decision = decided.decision
        if decided.by_hand:
            return [], []
        saved = PinnedModel.from_text(str(self.properties.get(PROVENANCE, "")))
        if saved is None or not saved.is_for(decision.request) or saved.answers != answers:
            return [], []
        if decision.card and saved.reference.fits(decision.card):
            return [], []
        entry, _ = find(saved.reference, decided.repository.catalogue())
        said = f"This workflow was made with {saved.reference}"
        if entry is None:
            return [f"{said}, which is not here."], []
        return [f"{said}."], [Offer(entry.card, "made with it")]

    def save(self, pinned: str | None) -> None:
        """Put the text of a `PinnedModel` into the workflow; None changes nothing."""
        if pinned:
            self.properties[PROVENANCE] = pinned
