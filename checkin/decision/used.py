"""The models of a decision, and how each is used: its strength, whether it is on, its triggers."""

from __future__ import annotations

from dataclasses import replace

from ..catalog.cards import Card
from ..language.variants import variant_of
from .alternatives import alternatives
from .decision import UsedModel
from .strengths import strengths
from .verdict import Resolved, Verdict


def used_models(verdict: Verdict, others: tuple[Card, ...], request: str) -> tuple[UsedModel, ...]:
    """The models of a verdict, in the user's order if they were picked by hand.

    `others` are the runners-up of a model that is alone. The request, in English, says which
    variant of a trigger is used.
    """
    found = verdict.resolved or [Resolved(verdict.pinned(view), view) for view in verdict.views]
    models = [_used(one, verdict, others if len(found) == 1 else None, request) for one in found]
    on = [place for place, one in enumerate(models) if one.card and one.on]
    cards = [card for place in on if (card := models[place].card)]
    for place, strength in zip(on, strengths(cards), strict=True):
        if models[place].pinned.strength is None:
            models[place] = replace(models[place], strength=strength)
    return tuple(models)


def _used(
    one: Resolved, verdict: Verdict, others: tuple[Card, ...] | None, request: str
) -> UsedModel:
    if one.entry is None:
        return UsedModel(one.pinned, None, near=one.near)
    said = one.pinned.strength
    card = one.entry.card
    variant = variant_of(card, request)
    beside = [view for view in verdict.views if view.position != one.entry.position]
    return UsedModel(
        one.pinned,
        card,
        card.strength if said is None else said,
        verdict.words.get(one.entry.position, ()),
        (variant.card.triggers[:1] + variant.beside) if card.trigger else (),
        others=alternatives(one.entry, beside) if others is None else others,
    )
