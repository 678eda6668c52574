"""The words of the request that each chosen model stands for."""

from __future__ import annotations

from collections.abc import Mapping

from ..catalog.selection import CardView
from .evidence import IS, Ground
from .grounded import Grounded


def words_of(case: Grounded, views: tuple[CardView, ...]) -> Mapping[int, tuple[str, ...]]:
    """Position of each model -> the words that say what it is, in the order of the request.

    Of several models, a word counts for the one that has it most.
    """
    positions = [view.position for view in views]
    words: dict[int, dict[str, None]] = {one: {} for one in positions}
    grounds = [one for segment in case.segments for one in segment.grounds if not one.generic]
    for ground in sorted(grounds, key=lambda one: one.mention.first):
        if positions and (best := _most(ground, positions)) is not None:
            words[best][ground.mention.words] = None
    return {position: tuple(said) for position, said in words.items()}


def _most(ground: Ground, positions: list[int]) -> int | None:
    """The model that has a word most; None if none is said to be that."""
    best = max(positions, key=lambda one: float(ground.strength[one]))
    return best if ground.strength[best] >= IS else None
