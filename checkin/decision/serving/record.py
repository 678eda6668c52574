"""The intent record: what the user wants, and the system context that it is served in."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ...language.intent import Intent
from ...user.context import Context
from ..decision import Decision, UsedModel
from ..gates.constraints import constraints_of


@dataclass(frozen=True)
class IntentRecord:
    """The two parts: `user` decides which model is meant, `system` how it is run."""

    user: Intent
    system: Context
    models: tuple[UsedModel, ...] = ()
    """What was chosen for each part of the request."""

    @classmethod
    def of(cls, decision: Decision) -> IntentRecord:
        """The record of a decision."""
        return cls(decision.intent, decision.context, decision.models)

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON-ready values, with the constraints in the user's words."""
        intent, context = self.user, self.system
        machine = asdict(context.hardware) if context.hardware else None
        return {
            "user": {
                "request": intent.request,
                "constraints": [
                    {"kind": one.kind, "words": one.words} for one in constraints_of(intent)
                ],
                "bounds": [bound.words for bound in intent.bounds],
                "added": [one.words for way in intent.divisions for one in way.added],
                "order": intent.order.words if intent.order else None,
                "preferred": [term.words for term in (*intent.preferred, *intent.others)],
                "details": list(intent.details),
                "scenery": list(intent.scenery),
                "named": list(intent.names),
                "left_over": list(intent.unhandled),
                "parts": [_part(one, intent) for one in self.models],
            },
            "system": {
                "hardware": machine,
                "prefer": context.prefer,
                "history": len(context.history),
            },
        }


def _part(used: UsedModel, intent: Intent) -> dict[str, Any]:
    """The words of the request that ask for one model, and the model: None if it is not here."""
    return {
        "words": [intent.their(words) for words in used.part],
        "model": used.card.id if used.card else None,
        "on": used.on,
    }
