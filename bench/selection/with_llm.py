"""Evaluations that need a language model: Stylus' whole composer, and Repo-Prompts' judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from ...checkin import Card, Repository
from ...checkin.llm import Deadline, Profile, Prompt, ask
from .instances import Answer, Instance
from .scorers import stylus

Pair = tuple[Instance, str, str]
"""A query, and the ids of two cards that were chosen for it."""
TOP = 150
"""Number of cards that Stylus' composer sees."""
SECONDS = 60.0
ASPECTS = ("subject", "style", "temporal", "context")

_COMPOSER = (
    "You choose adapters for an image prompt. You get the prompt and a catalogue with index, title,"
    " tags and description. Divide the prompt into its topics, keep the adapters that fit a topic "
    "and do not conflict with the others, and answer with the index of the single most fitting "
    "one, or null when none fits."
)
_COMPOSED = {
    "type": "object",
    "properties": {"index": {"type": ["integer", "null"]}},
    "required": ["index"],
    "additionalProperties": False,
}
_JUDGE = (
    "A person asked for one of their image models. Rate each of two models, A and B, from 1 to 5 "
    "on subject match, style intent, temporal match (dates and versions, counted from `now`) and "
    "context fit, and say which of them you prefer."
)
_RATING = {"type": "integer", "minimum": 1, "maximum": 5}
_RATINGS = {
    "type": "object",
    "properties": dict.fromkeys(ASPECTS, _RATING),
    "required": list(ASPECTS),
    "additionalProperties": False,
}
_JUDGED = {
    "type": "object",
    "properties": {
        "A": _RATINGS,
        "B": _RATINGS,
        "preferred": {"type": "string", "enum": ["A", "B"]},
    },
    "required": ["A", "B", "preferred"],
    "additionalProperties": False,
}


def stylus_composer(
    text: str, repository: Repository, profile: Profile, settings: Path | None
) -> Answer:
    """Run Stylus with its composer: a language model chooses from the top 150 by cosine.

    Raises NoAnswer.
    """
    best = np.argsort(-stylus(text, repository), kind="stable")[:TOP]
    cards = [repository.cards[position] for position in best]
    catalogue = [
        {
            "index": index,
            "title": card.subjects[0] if card.subjects else "",
            "tags": [*card.subjects, *card.styles],
            "description": card.description,
        }
        for index, card in enumerate(cards)
    ]
    prompt = Prompt(_COMPOSER, json.dumps({"prompt": text, "catalogue": catalogue}))
    index = ask(profile, prompt, _COMPOSED, Deadline(SECONDS), settings)["index"]
    if isinstance(index, int) and 0 <= index < len(cards):
        return Answer("select", cards[index].id)
    return Answer("no_match")


def judge_pairs(
    pairs: Sequence[tuple[Instance, str, str]],
    repository: Repository,
    now: str,
    profile: Profile,
    settings: Path | None,
) -> dict[str, Any]:
    """Return the judge's verdicts on (query, first card's id, second card's id).

    Each pair is asked in both orders; only queries whose two verdicts agree count (Table 10 of the
    paper). The result is {judged, consistent, first_preferred: share of the consistent ones,
    scores: [mean of the first, of the second]}. Raises NoAnswer.
    """
    verdicts = []
    for instance, one, other in pairs:
        first_card, second_card = repository.get(one), repository.get(other)
        straight = _verdict(instance.text, first_card, second_card, now, profile, settings)
        turned = _verdict(instance.text, second_card, first_card, now, profile, settings)
        if (
            straight["preferred"] != turned["preferred"]
        ):  # the same card both times, since A and B are swapped
            verdicts.append((straight, turned))
    first = [_score(straight["A"], turned["B"]) for straight, turned in verdicts]
    second = [_score(straight["B"], turned["A"]) for straight, turned in verdicts]
    preferred = sum(straight["preferred"] == "A" for straight, _ in verdicts)
    return {
        "judged": len(pairs),
        "consistent": len(verdicts),
        "first_preferred": preferred / len(verdicts) if verdicts else None,
        "scores": [mean(first), mean(second)] if verdicts else None,
    }


def _score(*ratings: dict[str, int]) -> float:
    return mean(rating[aspect] for rating in ratings for aspect in ASPECTS)


def _verdict(
    text: str, one: Card, other: Card, now: str, profile: Profile, settings: Path | None
) -> dict[str, Any]:
    said = {"request": text, "now": now, "A": _facts(one), "B": _facts(other)}
    return ask(profile, Prompt(_JUDGE, json.dumps(said)), _JUDGED, Deadline(SECONDS), settings)


def _facts(card: Card) -> dict[str, Any]:
    return {
        "subjects": card.subjects,
        "styles": card.styles,
        "description": card.description,
        "created": card.created_at.isoformat() if card.created_at else None,
        "version": card.version,
        "base_model": card.base_model,
    }
