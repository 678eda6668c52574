"""Graded relevance: how near an answer is to the right one, from 0 to 1, without a language model.

It is a score of this benchmark alone. It is not the intent score, which a language model gives
(llm_judge.py). Four aspects compare the chosen card with the right one, and their mean is taken:

- subject: a subject in common (1); subjects of one kind, such as a dog and a cat (0.5).
- style: all styles the same (1); one in common (0.5).
- temporal: the same build, or made within a day (1); the same month or version (0.5).
- context: the share of the words of the right card's description and base model that the chosen
  card has.

Asking where a question is right, and declining where nothing fits, scores 1. Asking where one card
is right scores 0.5, since the user gets there with one click. Declining or guessing where that is
wrong scores 0.
"""

from __future__ import annotations

from datetime import timedelta
from statistics import mean

from ...checkin import Card
from ...checkin.catalog.subject_key import kind_keys
from ...checkin.lexicon.spelling import stems
from .instances import Answer, Instance
from .metrics import right


def graded_relevance(instance: Instance, answer: Answer, cards: dict[str, Card]) -> float:
    """Return the score of one answer, 0 to 1; `cards` are the repository's, by id."""
    if right(instance, answer):
        return 1.0
    if instance.card is None or answer.outcome == "no_match":
        return 0.0
    if answer.card is None:
        return 0.5
    chosen, wanted = cards[answer.card], cards[instance.card]
    return mean(
        (
            _subject(chosen, wanted),
            _style(chosen, wanted),
            _temporal(chosen, wanted),
            _context(chosen, wanted),
        )
    )


def _subject(chosen: Card, wanted: Card) -> float:
    if {stems(one) for one in chosen.subjects} & {stems(one) for one in wanted.subjects}:
        return 1.0
    near = [
        {key for one in card.subjects for key in kind_keys(stems(one))} for card in (chosen, wanted)
    ]
    return 0.5 if near[0] & near[1] else 0.0


def _style(chosen: Card, wanted: Card) -> float:
    if set(chosen.styles) == set(wanted.styles):
        return 1.0
    return 0.5 if set(chosen.styles) & set(wanted.styles) else 0.0


def _temporal(chosen: Card, wanted: Card) -> float:
    if (
        chosen.version
        and chosen.version == wanted.version
        and chosen.created_at == wanted.created_at
    ):
        return 1.0
    if chosen.created_at is None or wanted.created_at is None:
        return 0.5 if chosen.version == wanted.version else 0.0
    if abs(chosen.created_at - wanted.created_at) <= timedelta(days=1):
        return 1.0
    month = (chosen.created_at.year, chosen.created_at.month) == (
        wanted.created_at.year,
        wanted.created_at.month,
    )
    return 0.5 if month or (chosen.version and chosen.version == wanted.version) else 0.0


def _context(chosen: Card, wanted: Card) -> float:
    own, needed = (set(stems(f"{card.description} {card.base_model}")) for card in (chosen, wanted))
    return len(own & needed) / len(needed)
