"""A decision as `personalq ask --json` and the agents' tool `find` give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..checkin import Decision


def as_dict(decision: Decision, notices: Sequence[str]) -> dict[str, Any]:
    """The decision in JSON types, without its cards. `notices` are those of the repository."""
    question = decision.question
    choices = question.choices if question else ()
    return {
        "outcome": decision.outcome,
        "why": decision.why,
        "base": decision.base.id if decision.base else None,
        "prompt": decision.prompt,
        "left_out": [one.text.strip() for one in decision.pieces if one.left_out],
        "question": question.text if question else None,
        "choices": [
            {"label": choice.label, "shown": choice.shown, "detail": choice.detail}
            for choice in choices
        ],
        "near": [
            {"id": miss.card.id, "dropped": miss.dropped, "met": miss.met} for miss in decision.near
        ],
        "serving": asdict(decision.serving),
        "notices": [*notices, *decision.notices],
        "offered_name": decision.offered_name,
    }
