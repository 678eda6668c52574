"""The models that Repo Check-in offers instead of its decision, and the texts that pin them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....checkin import Card, Decision, Repository, check_in
from ....checkin.catalog.connected import ALONE
from ....checkin.catalog.pinned import PinnedModel, PinnedModels
from ....checkin.catalog.reference import Reference
from ....checkin.decision.decision import NearMiss, UsedModel
from ....checkin.lexicon.base_models import label_of, shares_layers
from ....checkin.lexicon.sentences import listed, say


@dataclass(frozen=True)
class Offer:
    """One model that the user may pick instead."""

    card: Card
    reason: str = ""
    """Why it is offered; empty for a runner-up."""
    chosen: tuple[PinnedModel, ...] = ()
    """All models that are picked with it; empty for it alone."""


def offers(decision: Decision, repository: Repository) -> list[Offer]:
    """The near misses and the base alone, or the runners-up of the model that was selected.

    None for several models: each has its own (`offers_for`).
    """
    if len(decision.models) > 1:
        return []
    missed = _missed(decision.near, decision)
    used = decision.models[0].card if decision.models else None
    if decision.outcome == "no_match" and not decision.models:
        missed += _base_alone(decision, repository)
    return missed or [
        *(_instead(card, used) for card in decision.others),
        *(
            Offer(card)
            for one in decision.models
            for card in _called_alike(one, decision, repository)
        ),
    ]


def _base_alone(decision: Decision, repository: Repository) -> list[Offer]:
    reason = say("draws it without a LoRA")
    if connected := decision.intent.connected:
        card = replace(connected.card, id=connected.name, path=None)
        return [Offer(card, reason, (PinnedModel(Reference(ALONE)),))]
    intent = decision.intent
    looks = {word for term in intent.styles for word in term.words.split()}
    anime = ("anime" in looks) if looks else None
    base = repository.bases.alone(intent.base_model, anime)
    near = [miss.card for miss in decision.near]
    return [Offer(base, reason)] if base and base not in near else []


def offers_for(decision: Decision, place: int, repository: Repository) -> list[Offer]:
    """The models to use instead of one of several, together with the others: those that fit them
    and are none of them. What does not fit takes builds of the others along that do, if there are.
    """
    models = decision.models
    found = _missed(models[place].near, decision) or [
        _instead(card, models[place].card)
        for card in _rivals(models[place], repository)
        or _called_alike(models[place], decision, repository)
    ]
    together = [_beside(one, place, models, repository) for one in found]
    return [one for one in together if one]


def _rivals(used: UsedModel, repository: Repository) -> list[Card]:
    """The runners-up of a model; of a look those that are looks, and after them the user's own."""
    catalogue = repository.catalogue()
    columns, position_of = catalogue.columns, catalogue.position_of
    if not used.card or not columns.look[position_of[used.card.id]]:
        return [*used.others]
    base, looks = used.card.base_model, columns.look.where(bool)
    others = [place for card in used.others if looks[place := position_of[card.id]]]
    known = {columns.lineage[place] for place in (*others, position_of[used.card.id])}
    own = np.flatnonzero(looks & columns.trained & ~np.isin(columns.lineage, [*known])).tolist()
    first: dict[int, int] = {}
    for one in sorted(own, key=lambda one: (columns.base_model[one] != base, -columns.order[one])):
        first.setdefault(int(columns.lineage[one]), one)
    return [catalogue.cards[one] for one in (*others, *first.values())]


def _beside(
    offer: Offer, place: int, models: Sequence[UsedModel], repository: Repository
) -> Offer | None:
    """An offer with the others of several models, or builds of them that fit it; else None."""
    catalogue = repository.catalogue()
    lineage, position_of = catalogue.columns.lineage, catalogue.position_of
    chosen, builds = [], []
    for at, one in enumerate(models):
        if at == place or not one.card or _fits_beside(offer.card, one.card):
            chosen.append(pin(offer.card) if at == place else one.pinned)
            continue
        own = lineage[position_of[one.card.id]]
        same = [other for other in one.others if lineage[position_of[other.id]] == own]
        build = next((other for other in same if _fits_beside(offer.card, other)), None)
        if build is None or one.card.id == offer.card.id:
            return None
        builds.append(build.name)
        chosen.append(replace(pin(build), on=one.on))
    if builds:
        base, names = label_of(offer.card.base_model or ""), listed(builds, "and")
        offer = replace(offer, reason=say("for {base}, with {names}", base=base, names=names))
    return replace(offer, chosen=tuple(chosen))


def _fits_beside(card: Card, other: Card) -> bool:
    bases = card.base_model, other.base_model
    return card.id != other.id and (None in bases or shares_layers(*bases))


def _instead(card: Card, used: Card | None) -> Offer:
    """A model to use in place of another one, with what it is for where that is something else."""
    other = card.base_model if used and card.base_model != used.base_model else None
    return Offer(card, say("for {base}", base=label_of(other)) if other else "")


def _called_alike(used: UsedModel, decision: Decision, repository: Repository) -> list[Card]:
    """In place of a model that is not here: what the words of its name would find."""
    words = re.sub(r"[\W_]+", " ", used.pinned.reference.name or "").strip()
    if used.card or not words:
        return []
    said = check_in(words, repository, connected=decision.intent.connected)
    asked = (choice.card_ids[0] for choice in (said.question.choices if said.question else ()))
    cards = [*said.cards, *said.others, *map(repository.get, asked)]
    kind = used.pinned.reference.kind
    near = [*cards, *(miss.card for miss in said.near)]
    return [card for card in near if card.kind == kind or not kind]


def additions(decision: Decision) -> list[Offer]:
    """The models to use besides those of a decision, also those that are switched off."""
    pinned = tuple(one.pinned for one in decision.models)
    there = {one.card.id for one in decision.models if one.card}
    return [
        Offer(one.card, f"“{one.words}”", (*pinned, pin(one.card)))
        for one in decision.additions
        if one.card.id not in there
    ]


def _missed(near: Sequence[NearMiss], decision: Decision) -> list[Offer]:
    """The near models, but for those that the connected model cannot load."""
    fitting = (miss for miss in near if not miss.misfits(decision.intent.connected))
    return [Offer(miss.card, _reason(miss, decision)) for miss in fitting]


def _reason(miss: NearMiss, decision: Decision) -> str:
    """What a model has of a request, and what it lacks. Its version and day are shown anyway."""
    kinds = {one.kind for one in decision.constraints if one.words == miss.dropped}
    if miss.unsaid and miss.dropped:
        lacks = say("its card does not say “{words}”", words=miss.dropped)
    elif kinds & {"base model", "connected"} and miss.card.base_model:
        lacks = say("for {base}", base=label_of(miss.card.base_model))
    elif kinds & {"time", "version", "build"} or not miss.dropped:
        lacks = ""
    else:
        lacks = say("without “{words}”", words=miss.dropped)
    if miss.met and lacks:
        return say("{items}, {next}", items=miss.met, next=lacks)
    return miss.met or lacks


def pin(card: Card) -> PinnedModel:
    """A model as a workflow names it, used as is recommended."""
    return PinnedModel(Reference.of(card))


def chosen_text(offer: Offer, request: str) -> str:
    """The text that picks an offered model for a request."""
    return PinnedModels(offer.chosen or (pin(offer.card),), request).to_text()


def made_with_text(decision: Decision, answers: tuple[str, ...]) -> str:
    """The text that picks the models of a decision again, with the strengths that they had."""
    models = (
        replace(one.pinned, strength=one.strength)
        if one.card and one.card.kind == "lora"
        else one.pinned
        for one in decision.models
    )
    return PinnedModels(tuple(models), decision.request, answers).to_text()
