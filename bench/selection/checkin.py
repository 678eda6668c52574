"""Check-in as a selector, whole or with parts turned off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ...checkin import Card, Decision, Repository, check_in
from ...checkin.llm import OFFLINE, Profile
from ...checkin.retrieval.hybrid import Ranking
from .instances import Answer


def checkin(
    text: str,
    repository: Repository,
    now: datetime,
    reasoner: str | Profile = OFFLINE,
    settings: Path | None = None,
) -> Answer:
    """Run Check-in as users have it."""
    return _answer(check_in(text, repository, now=now, reasoner=reasoner, settings=settings))


def without_clarification(text: str, repository: Repository, now: datetime) -> Answer:
    """Run Check-in without questions: it takes its best match."""
    return _answer(check_in(text, repository, now=now, best_match=True))


def without_retrieval(text: str, repository: Repository, now: datetime) -> Answer:
    """Run Check-in without ranking by words or meaning.

    Choices and best matches are sorted newest first.
    """
    return _answer(check_in(text, unranked(repository), now=now))


def without_both(text: str, repository: Repository, now: datetime) -> Answer:
    """Run Check-in by its rules alone: it neither asks nor ranks."""
    return _answer(check_in(text, unranked(repository), now=now, best_match=True))


class _Unranked(Repository):
    def rank(self, text: str, cards: Sequence[Card]) -> Ranking:
        return Ranking(tuple(cards), (0.0,) * len(cards))


_UNRANKED: dict[str, _Unranked] = {}


def unranked(repository: Repository) -> Repository:
    """Return the repository without ranking: cards that are to be ranked stay in their order."""
    if repository.version not in _UNRANKED:
        _UNRANKED[repository.version] = _Unranked(
            repository.cards, version=repository.version, embedder=None
        )
    return _UNRANKED[repository.version]


def _answer(decision: Decision) -> Answer:
    choices = decision.question.choices if decision.question else ()
    return Answer(
        decision.outcome,
        decision.card.id if decision.card else None,
        tuple(choice.label for choice in choices),
        tuple(dict.fromkeys(card_id for choice in choices for card_id in choice.card_ids)),
        decision.prompt,
    )
