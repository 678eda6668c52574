"""The models of a decision, and how each is used: its strength, whether it is on, its triggers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...catalog.cards import Card
from ...language.variants import variant_of
from ...lexicon.spelling import name_words
from ..alternatives import alternatives
from ..decision import Decision, Region, UsedModel
from ..verdict import Resolved, Verdict
from .strengths import strengths


def used_models(
    verdict: Verdict, others: tuple[Card, ...], request: str, said: Sequence[tuple[float, int]] = ()
) -> tuple[UsedModel, ...]:
    """The models of a verdict, in the user's order if they were picked by hand.

    `others` are the runners-up of a model that is alone. The request, in English, says which
    variant of a trigger is used, and strengths: `said` (`Intent.strengths`).
    """
    found = verdict.resolved or [Resolved(verdict.pinned(view), view) for view in verdict.views]
    models = [_used(one, verdict, others if len(found) == 1 else None, request) for one in found]
    for strength, start in said:
        models = _with_strength(models, strength, request[:start].casefold())
    return strengthened(models)


def _with_strength(models: Sequence[UsedModel], strength: float, before: str) -> list[UsedModel]:
    """The models with the strength of the LoRA that is named last `before` it, or of the only one;
    a strength by hand stays.
    """
    loras = [one for one in models if one.card and one.card.kind == "lora"]
    called = [one.words or name_words(one.card.name) for one in loras if one.card]
    places = [max((before.rfind(word) for word in words), default=-1) for words in called]
    if not loras or (len(loras) > 1 and max(places) < 0):
        return list(models)
    meant = loras[max(range(len(loras)), key=places.__getitem__)]
    if meant.pinned.strength is not None:
        return list(models)
    pinned = replace(meant.pinned, strength=strength)
    return [
        replace(one, pinned=pinned, strength=strength) if one is meant else one for one in models
    ]


def strengthened(
    models: Sequence[UsedModel], regions: Sequence[Region] = ()
) -> tuple[UsedModel, ...]:
    """The models that are on with their strengths together; those that the user said stay."""
    cards = [one.card for one in models if one.card and one.on]
    found = strengths(cards, [one.card_ids for one in regions])
    by_id = {card.id: strength for card, strength in zip(cards, found, strict=True)}
    return tuple(
        replace(one, strength=by_id[one.card.id])
        if one.card and one.on and one.pinned.strength is None
        else one
        for one in models
    )


def on_the_whole(decision: Decision) -> Decision:
    """The decision with all its LoRAs on the whole picture, each as strong as that needs."""
    models = strengthened(decision.models)
    used = {one.card.id: one.as_used or one.card for one in models if one.card}
    card = decision.card and used.get(decision.card.id, decision.card)
    further = tuple(used.get(one.id, one) for one in decision.further)
    return replace(decision, models=models, card=card, further=further, regions=())


def _used(
    one: Resolved, verdict: Verdict, others: tuple[Card, ...] | None, request: str
) -> UsedModel:
    if one.entry is None:
        return UsedModel(one.pinned, None, near=one.near)
    said = one.pinned.strength
    card = one.entry.card
    variant = variant_of(card, request)
    beside = [view for view in verdict.views if view.position != one.entry.position]
    words = verdict.words.get(one.entry.position, ())
    return UsedModel(
        one.pinned,
        card,
        card.strength if said is None else said,
        words,
        verdict.parts.get(one.entry.position, words),
        (variant.card.triggers[:1] + variant.beside) if card.trigger else (),
        others=tuple(view.card for view in alternatives(one.entry, beside))
        if others is None
        else others,
    )
