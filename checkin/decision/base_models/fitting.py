"""Models for the parts of a request that fit one base model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...language.intent import Order
from ...lexicon.base_models import covers
from ..candidates.builds import OLD_BASES, together
from ..candidates.grounded import Grounded

Fitting = tuple[tuple[int, ...], tuple[int, ...]]
"""A card for each part, and their builds that fit one base model."""


@dataclass
class Part:
    """A noun phrase that stands for a model."""

    cards: list[int]
    """The best build of each lineage that it may mean, the likeliest first."""
    possible: list[int]
    """Those, and further ones that are less likely."""
    look: bool = False
    """Whether it is a look."""
    styled: bool = False
    """Whether the request says that the others are to be drawn in it."""
    place: int = 0
    """Which of the noun phrases it is."""
    order: Order | None = None
    """The superlative that says which build is meant."""
    role: bool = False
    """Whether it says as what another is drawn, and names no model: "wastl as a puppy"."""


def fitting(case: Grounded, parts: Sequence[Part]) -> list[Fitting]:
    """What the parts may mean together, the likeliest first; where the likeliest models are for
    other base models, less likely ones too. Empty if none fit.

    Models for one base model go before those for one and what was trained from it, and these before
    those for two that only have the same layers, as Pony and Illustrious have.
    """
    apart: list[Fitting] = []
    for these in (parts, *_widened(parts)):
        found = list(_of_one_base(case, these))
        if together := _of_one_line(case, found):
            return _newer(case, together)
        apart = apart or found
    return _newer(case, apart)


def _of_one_line(case: Grounded, found: Sequence[Fitting]) -> list[Fitting]:
    """Those of which all models are for one base model; else those of which it is for one and what
    was trained from it.
    """
    models = case.left.columns.base_model
    bases = [{models[build] or "" for build in builds} for _, builds in found]
    alike = [one for one, some in zip(found, bases, strict=True) if len(some) == 1]
    in_line = [
        one
        for one, some in zip(found, bases, strict=True)
        if all(covers(a, b) or covers(b, a) for a, b in itertools.combinations(some, 2))
    ]
    return alike or in_line


def _widened(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts with less likely models, where the likeliest are for other base models: looks that
    the rest is drawn in first, then what is drawn.
    """
    styled = [replace(part, cards=part.possible) if part.styled else part for part in parts]
    yield styled
    yield [part if part.look else replace(part, cards=part.possible) for part in styled]


def _of_one_base(case: Grounded, parts: Sequence[Part]) -> Iterator[Fitting]:
    """(a card for each part, their builds that fit one base model), the likeliest first."""
    for cards in itertools.product(*(part.cards for part in parts)):
        if len(case.builds.lineages(cards)) == len(cards):
            choices = [case.builds.by_base(case.builds.of(card)) for card in cards]
            if builds := together(case.left.columns, choices):
                yield cards, builds


def _newer(case: Grounded, found: Sequence[Fitting]) -> list[Fitting]:
    """Those without the ones for SD 1.5 and 2 for which there is one of the same things for a newer
    base model: a selfie LoRA of 2023 is no rival of the person's of today.
    """
    columns = case.left.columns

    def things(one: Fitting) -> tuple[str, ...]:
        return tuple(columns.display_subjects[card] for card in one[0])

    def is_old(one: Fitting) -> bool:
        return any(columns.base_model[card] in OLD_BASES for card in one[1])

    newer = {things(one) for one in found if not is_old(one)}
    return [one for one in found if not is_old(one) or things(one) not in newer]
