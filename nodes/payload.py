"""What a node tells the front end and the history after it ran: `ui = {"personalq": [payload]}`. No path, no key."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..checkin import Card, Decision, Question
from .host.load import name_of
from .host.thumbnails import thumbnail
from .sockets import one_line


def decision_payload(decision: Decision, answers: tuple[str, ...]) -> dict[str, Any]:
    """The decision in JSON types, pictures as references for ComfyUI's /view."""
    return {
        "outcome": decision.outcome,
        "why": decision.why,
        "request": one_line(decision.request),
        "prompt": decision.prompt,
        "trigger": decision.card.trigger if decision.card else None,
        "card": _card(decision.card) if decision.card else None,
        "question": _question(decision.question) if decision.question else None,
        "answered": list(answers),
        "near": [{"name": name_of(miss.card), "dropped": miss.dropped} for miss in decision.near],
        "serving": asdict(decision.serving),
        "notices": list(decision.notices),
    }


def _card(card: Card) -> dict[str, Any]:
    return {
        "name": name_of(card),
        "kind": card.kind,
        "version": card.version,
        "created": card.created_at.date().isoformat() if card.created_at else None,
        "base_model": card.base_model,
        "image": thumbnail(card.previews[0] if card.previews else None),
    }


def _question(question: Question) -> dict[str, Any]:
    return {
        "text": question.text,
        "choices": [
            {"label": choice.label, "detail": choice.detail, "image": thumbnail(choice.preview)}
            for choice in question.choices
        ],
    }
