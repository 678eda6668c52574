"""The models that a saved workflow was made with, which are also saved in a run's pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ...checkin import Card
from ...checkin.catalog.pinned import PinnedModel, PinnedModels
from ...checkin.decision.resolve import find
from ...checkin.lexicon.sentences import say
from .models.decide import Decided
from .models.offers import Offer
from .saved_node import properties_of, saved_node

PROVENANCE = "personalq_made_with"
"""The property of a Repo Check-in node that stores the models of its last decision, as the text of
`PinnedModels`.
"""

_RUNS: dict[str, tuple[str, str]] = {}
"""Execution id -> what its run is decided from, and its key."""
_KEYS: dict[tuple[str, str], str] = {}
"""(what a run was decided from, the text that it stored) -> the key that it had."""
_MOST = 1000


@dataclass(frozen=True)
class Provenance:
    """The provenance in the properties of one node."""

    properties: dict[str, Any]
    execution_id: str
    is_saved: bool
    """Whether the run came with a workflow that has the node."""

    @classmethod
    def of_node(cls, extra_pnginfo: Mapping[str, Any] | None, execution_id: str) -> Provenance:
        """The provenance of a node in the workflow that a run came with."""
        is_saved = bool(saved_node(extra_pnginfo, execution_id))
        return cls(properties_of(extra_pnginfo, execution_id), execution_id, is_saved)

    def key(self, request: str | None, decided_from: str) -> str:
        """What tells this run from others that are decided from the same, or "".

        It is the text that is stored for this request, as what `compare` says follows from it; but
        where a run like this one stored it, that one's key, so that Run pressed again runs nothing
        anew. A workflow that has none after such a run was queued before the page stored it, in a
        batch: this run alone has its key, so that its pictures name the models too. `request`: None
        where it is not known yet.
        """
        saved = self._saved()
        is_for_it = saved is not None and (request is None or saved.is_for(request))
        text = str(self.properties.get(PROVENANCE, "")) if is_for_it else ""
        key = _KEYS.get((decided_from, text), text)
        if self.is_saved and not text and any(one == decided_from for one, _ in _KEYS):
            key = uuid4().hex
        _RUNS[self.execution_id] = decided_from, key
        return key

    def compare(self, decided: Decided) -> tuple[list[str], list[Offer]]:
        """(notices, offers) if the same request and answers chose other models before.

        That was when the workflow was saved. Otherwise, and for models that were picked by hand,
        both are empty.
        """
        decision = decided.decision
        if decided.by_hand:
            return [], []
        saved = self._saved()
        if saved is None or not saved.is_for(decision.request) or saved.answers != decided.answers:
            return [], []
        used = [one for one in saved.models if one.on]
        if len(used) == len(decision.cards) and all(
            any(one.reference.fits(card) for card in decision.cards) for one in used
        ):
            return [], []
        found = {str(one.reference): self._find(one, decided) for one in used}
        missing = [name for name, card in found.items() if card is None]
        models = ", ".join(found)
        if missing and len(used) == 1:
            said = say("This workflow was made with {models}, which is not here.", models=models)
            return [said], []
        said = say("This workflow was made with {models}.", models=models)
        if missing:
            return [f"{said} {say('Not here: {models}.', models=', '.join(missing))}"], []
        first = next(card for card in found.values() if card)
        return [said], [Offer(first, say("made with it"), saved.models)]

    def _saved(self) -> PinnedModels | None:
        try:
            return PinnedModels.from_text(str(self.properties.get(PROVENANCE, "")))
        except (ValueError, RecursionError):  # changed by hand: then nothing is known
            return None

    @staticmethod
    def _find(one: PinnedModel, decided: Decided) -> Card | None:
        entry, _ = find(one.reference, decided.repository.catalogue())
        return entry.card if entry else None

    def save(self, pinned: str | None) -> None:
        """Put the text of `PinnedModels` into the workflow; None changes nothing."""
        if not pinned:
            return
        self.properties[PROVENANCE] = pinned
        decided_from, key = _RUNS.pop(self.execution_id, ("", ""))
        _KEYS[decided_from, pinned] = key
        if len(_KEYS) > _MOST:
            del _KEYS[next(iter(_KEYS))]
