"""The verdict for models that were picked by hand: they are used together as the user says."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..catalog.cards import Card
from ..catalog.connected import ALONE, ConnectedModel
from ..catalog.pinned import PinnedModel
from ..catalog.reference import Reference
from ..catalog.selection import CardView, Catalogue
from ..index.repository import Repository
from ..lexicon.base_models import shares_layers
from ..lexicon.sentences import listed, say, say_number
from .decision import NearMiss
from .notices import made_for
from .resolve import evidence, find
from .verdict import Resolved, Verdict


def decide_picked(
    pinned: Sequence[PinnedModel], repository: Repository, connected: ConnectedModel | None = None
) -> Verdict:
    """The verdict for picked models: those that are on are used, a checkpoint first.

    It says what to do where one is not here, where they do not fit together, and where a checkpoint
    meets a connected model. If all are off, or only ALONE is picked, their base draws alone.
    """
    catalogue = repository.catalogue()
    resolved = tuple(_resolved(one, catalogue) for one in pinned)
    loras = [one for one in resolved if not (connected and _is_alone(one))]
    used = [one for one in loras if one.pinned.on]
    if missing := next((one for one in used if one.entry is None), None):
        return Verdict(_missing(missing, len(pinned)), near=missing.near, resolved=resolved)
    views = [one.entry for one in used if one.entry]
    if refusal := _refusal(views, connected):
        return Verdict(refusal, resolved=resolved)
    if not views:
        return replace(_all_off(loras, repository, connected), resolved=resolved)
    views.sort(key=lambda view: view.card.kind != "checkpoint")
    found = [_found(one.pinned.reference, one.entry.card) for one in used if one.entry]
    off = _names(one for one in loras if not one.pinned.on)
    why = say("You chose {models}.", models=listed(found, "and"))
    if off:
        why += " " + say("Off: {models}.", models=listed(off, "and"))
    return Verdict(why, views[0], further=tuple(views[1:]), resolved=resolved)


def _is_alone(one: Resolved) -> bool:
    return one.entry is None and one.pinned.reference.name == ALONE


def _found(reference: Reference, card: Card) -> str:
    """The model's name; by what it was found, where it has another name than the one picked."""
    if reference.name == card.name:
        return card.name
    return say(
        "{name}, found by its {evidence}", name=card.name, evidence=evidence(reference, card)
    )


def _resolved(pinned: PinnedModel, catalogue: Catalogue) -> Resolved:
    reference = pinned.reference
    entry, near = find(reference, catalogue)
    if entry:
        return Resolved(pinned, entry)
    missed = (NearMiss(one.card, reference.differing(one.card) or "") for one in near)
    return Resolved(pinned, None, tuple(missed))


def _missing(one: Resolved, picked: int) -> str:
    reference = one.pinned.reference
    several = sum(reference.fits(miss.card) for miss in one.near)
    said = (
        say("{number} models here may be {name}.", number=several, name=reference)
        if several
        else say("{name} is not here.", name=reference)
    )
    if one.near and picked > 1:
        step = say("Choose one of the nearest, switch it off, or let the request decide.")
    elif one.near:
        step = say("Choose one of the nearest, or let the request decide.")
    elif picked > 1:
        step = say("Switch it off, or let the request decide.")
    else:
        step = say("Let the request decide.")
    return f"{said} {step}"


def _refusal(views: Sequence[CardView], connected: ConnectedModel | None) -> str:
    """Why models cannot be used together, with the next step; empty if they can."""
    cards = [view.card for view in views]
    whole = [card for card in cards if card.kind == "checkpoint"]
    if whole and connected:
        return connected.refusal(whole[0])
    if twice := next((a.name for a, b in itertools.combinations(cards, 2) if a.id == b.id), None):
        return say("{name} stands twice in `chosen`: remove one of its lines.", name=twice)
    if len(whole) > 1:
        names = listed([card.name for card in whole], "and")
        return say(
            "{names} are whole checkpoints, and a picture has one: switch the others off.",
            names=names,
        )
    for one, other in itertools.combinations(cards, 2):
        bases = one.base_model, other.base_model
        if all(bases) and not shares_layers(*bases):
            return say(
                "{models}: they do not fit together. Switch one off, or swap it for one of the "
                "other's base model.",
                models=listed([made_for(one), made_for(other)], "and"),
            )
    return ""


def _all_off(
    off: Sequence[Resolved], repository: Repository, connected: ConnectedModel | None
) -> Verdict:
    cards = [one.entry.card for one in off if one.entry]
    bases = (repository.base_for(card) for card in cards)
    base = connected.card if connected else next(filter(None, bases), None)
    names, number = listed(_names(off), "and"), len(off)
    if base is None:
        why = say_number(
            number,
            "{names} is off, and nothing else draws: switch one on, or let the request decide.",
            "{names} are off, and nothing else draws: switch one on, or let the request decide.",
            names=names,
        )
        return Verdict(why)
    name = connected.name if connected else base.name
    if not off:
        return Verdict(say("You chose no LoRA: {name} draws alone.", name=name), alone=base)
    why = say_number(
        number,
        "{names} is off: {name} draws alone.",
        "{names} are off: {name} draws alone.",
        names=names,
        name=name,
    )
    return Verdict(why, alone=base)


def _names(resolved: Iterable[Resolved]) -> list[str]:
    return [one.entry.card.name if one.entry else str(one.pinned.reference) for one in resolved]
