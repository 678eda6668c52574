"""Which requests ask for the same models, so that what was chosen for one holds for another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .check_in import check_in
from .decision.decision import Decision
from .index.repository import Repository


def asking_for_the_same(
    request: str, others: Iterable[str], repository: Repository, **options: Any
) -> tuple[str, ...]:
    """Those of `others` of which Check-in, left to itself, says the same models as of `request`.

    "Pip in the garden, at night" asks for the same as "pip in the garden": it selects the same, has
    the same question, or lacks the same and offers the same in its place. `options` are those of
    `check_in` that decide.
    """
    said = _models_of(check_in(request, repository, **options))
    if said is None:
        return ()
    return tuple(
        other for other in others if _models_of(check_in(other, repository, **options)) == said
    )


def _models_of(decision: Decision) -> tuple[object, ...] | None:
    """The models that a decision selects, asks about, or offers in place of one that it lacks."""
    if decision.cards:
        return tuple(card.id for card in decision.cards)
    if decision.question:
        return tuple(choice.card_ids for choice in decision.question.choices)
    near = tuple(one.card.id for one in decision.near)
    return (decision.why, *near) if near else None
