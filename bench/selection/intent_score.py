"""Score how well a chosen card meets a query, from 1 to 5, without a language model.

The judge of Repo-Prompts rates four aspects from 1 to 5 and takes their mean. This score compares
the chosen card with the right one: an aspect gets 5 where both agree, 3 where they are similar,
else 1.

- subject: a subject in common (5); subjects of one kind, such as a dog and a cat (3).
- style: all styles the same (5); one in common (3).
- temporal: the same build, or made within a day (5); the same month or version (3).
- context: the share of the words of the right card's description and base model that the chosen
  card has, mapped to 1 to 5.

Asking where a question is right, and declining where nothing fits, scores 5. Asking where one card
is right scores 3, since the user gets there with one click. Declining or guessing where that is
wrong scores 1.
"""

from __future__ import annotations

from datetime import timedelta
from statistics import mean

from ...checkin import Card
from ...checkin.catalog.subject_key import kind_keys
from ...checkin.lexicon.spelling import stems
from .instances import Answer, Instance
from .metrics import right


def intent_score(instance: Instance, answer: Answer, cards: dict[str, Card]) -> float:
    """Return the score of one answer, 1 to 5; `cards` are the repository's, by id."""
    if right(instance, answer):
        return 5.0
    if instance.card is None or answer.outcome == "no_match":
        return 1.0
    if answer.card is None:
        return 3.0
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
        return 5.0
    near = [
        {key for one in card.subjects for key in kind_keys(stems(one))} for card in (chosen, wanted)
    ]
    return 3.0 if near[0] & near[1] else 1.0


def _style(chosen: Card, wanted: Card) -> float:
    if set(chosen.styles) == set(wanted.styles):
        return 5.0
    return 3.0 if set(chosen.styles) & set(wanted.styles) else 1.0


def _temporal(chosen: Card, wanted: Card) -> float:
    if (
        chosen.version
        and chosen.version == wanted.version
        and chosen.created_at == wanted.created_at
    ):
        return 5.0
    if chosen.created_at is None or wanted.created_at is None:
        return 3.0 if chosen.version == wanted.version else 1.0
    if abs(chosen.created_at - wanted.created_at) <= timedelta(days=1):
        return 5.0
    month = (chosen.created_at.year, chosen.created_at.month) == (
        wanted.created_at.year,
        wanted.created_at.month,
    )
    return 3.0 if month or (chosen.version and chosen.version == wanted.version) else 1.0


def _context(chosen: Card, wanted: Card) -> float:
    own, needed = (set(stems(f"{card.description} {card.base_model}")) for card in (chosen, wanted))
    return 1.0 + 4.0 * len(own & needed) / len(needed)
