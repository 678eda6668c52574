"""Check-in as a selector in a library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...checkin import Decision, Repository, check_in
from ...checkin.llm import Profile
from ..selection.checkin import unranked
from ..selection.composer import SECONDS
from .ablations import PARTS, WHOLE, Part
from .open_library import OpenLibrary
from .score import Answer

Selector = Callable[[str, OpenLibrary], Answer]


def checkin(text: str, at: OpenLibrary) -> Answer:
    """Run Check-in as users have it, with what the owner used before."""
    return _asked(text, at, at.repository)


def without_clarification(text: str, at: OpenLibrary) -> Answer:
    """Run Check-in without questions: it takes its best match."""
    return _asked(text, at, at.repository, best_match=True)


def without_retrieval(text: str, at: OpenLibrary) -> Answer:
    """Run Check-in without ranking by words: choices and best matches stay in their order."""
    return _asked(text, at, unranked(at.repository))


def with_llm(profile: Profile, settings: Path | None) -> Selector:
    """Return Check-in with a language model for what its rules leave open."""
    return lambda text, at: _asked(
        text, at, at.repository, reasoner=profile, settings=settings, deadline=SECONDS
    )


DECIDING: dict[str, tuple[Selector, Part]] = {
    "checkin": (checkin, WHOLE),
    "checkin-no-clarification": (without_clarification, WHOLE),
    "checkin-no-retrieval": (without_retrieval, WHOLE),
    **{name: (checkin, part) for name, part in PARTS.items()},
}
"""Check-in, and Check-in without each of its parts."""


def _asked(text: str, at: OpenLibrary, repository: Repository, **options: Any) -> Answer:
    now, context = at.library.now, at.context
    return _answer(check_in(text, repository, now=now, context=context, **options), at)


def _answer(decision: Decision, at: OpenLibrary) -> Answer:
    choices = decision.question.choices if decision.question else ()
    return Answer(
        decision.outcome,
        tuple(at.paths[card.id] for card in decision.cards),
        tuple(tuple(at.paths[card_id] for card_id in choice.card_ids) for choice in choices),
        prompt=decision.prompt,
        asked=decision.asked,
    )
