"""Check-in as a selector in a library, whole or with parts turned off."""

from __future__ import annotations

from ...checkin import Decision, check_in
from ..selection.checkin import unranked
from .open_library import OpenLibrary
from .score import Answer


def checkin(text: str, at: OpenLibrary) -> Answer:
    """Run Check-in as users have it, with what the owner used before."""
    decision = check_in(text, at.repository, now=at.library.now, context=at.context)
    return _answer(decision, at)


def without_clarification(text: str, at: OpenLibrary) -> Answer:
    """Run Check-in without questions: it takes its best match."""
    now, context = at.library.now, at.context
    return _answer(check_in(text, at.repository, now=now, context=context, best_match=True), at)


def without_retrieval(text: str, at: OpenLibrary) -> Answer:
    """Run Check-in without ranking by words: choices and best matches stay in their order."""
    decision = check_in(text, unranked(at.repository), now=at.library.now, context=at.context)
    return _answer(decision, at)


def _answer(decision: Decision, at: OpenLibrary) -> Answer:
    choices = decision.question.choices if decision.question else ()
    return Answer(
        decision.outcome,
        tuple(at.paths[card.id] for card in decision.cards),
        tuple(tuple(at.paths[card_id] for card_id in choice.card_ids) for choice in choices),
    )
