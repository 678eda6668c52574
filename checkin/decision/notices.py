"""Notices about a chosen model: where the request disagrees with it, and what its triggers are."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np

from ..catalog.cards import Card
from ..catalog.selection import CardSelection, CardView
from ..language.intent import Intent
from ..lexicon.base_models import covers, shares_layers, spoken
from ..lexicon.sentences import again, listed, quoted, say
from ..lexicon.spelling import is_english, stems
from ..readers.kohya import MIN_CAPTION_SHARE
from ..readers.trigger_words import is_generic
from .gates.constraints import Reading


def contradictions(
    reading: Reading, views: Sequence[CardView], library: CardSelection
) -> list[str]:
    """Sentences on where the request disagrees with the models.

    The first was named in the request, or picked by hand.
    """
    entry, positions = views[0], [view.position for view in views]
    missed = [
        quoted(constraint.words)
        for constraint in reading.constraints
        if not np.isin(constraint.keeps(library).positions, positions).any()
    ]
    said = [not_used(missed)] if missed else []
    names = reading.intent.names
    if names and entry.id not in names:
        name = _name(names[0], entry)
        said.append(say("The request names another model: {name}.", name=name))
    return said


def other_base(intent: Intent, said_base: str | None, base: str) -> list[str]:
    """A notice, if a request names another base model (`said_base`) than the one that is set."""
    if not said_base or covers(said_base, base):
        return []
    said = [one for one in intent.said if one.what == "base model"]
    return [not_used([quoted(intent.their(intent.english[one.start : one.end])) for one in said])]


def not_used(words: Sequence[str]) -> str:
    """The sentence that some words of the request, in quotes, chose nothing."""
    return say("Not used to choose the model: {words}.", words=listed(words, "and"))


def unusable_triggers(card: Card) -> list[str]:
    """Sentences on the card's triggers that cannot be used in a prompt."""
    said = [say("The trigger {unusable}.", unusable=again(one)) for one in card.unusable]
    if said and not card.triggers:
        said.append(say("{name} has no other trigger.", name=card.name))
    return said


def untold_triggers(cards: Sequence[Card], request: str) -> list[str]:
    """A sentence on what all training pictures of LoRAs without a trigger have in their captions
    and is no plain word: it probably is one. Nothing of what the request says anyway.
    """
    said = {*stems(request)}
    tags = {card.name: tag for card in cards if (tag := _untold_trigger(card, said))}
    if len(tags) > 1:
        models = [f"{quoted(tag)} ({name})" for name, tag in tags.items()]
        return [
            say(
                "No trigger is known for {number} models. All training captions have {models}: if "
                "these are their triggers, put them into their cards.",
                number=len(models),
                models=listed(models, "and"),
            )
        ]
    return [
        say(
            "No trigger is known for {name}, and all its training captions have '{tag}': if that "
            "is its trigger, put it into its card.",
            name=name,
            tag=tag,
        )
        for name, tag in tags.items()
    ]


def _untold_trigger(card: Card, said: Collection[str]) -> str | None:
    if card.kind != "lora" or card.triggers or card.unusable:
        return None
    often = (tag for tag, share in card.captions.items() if share >= MIN_CAPTION_SHARE)
    made_up = (tag for tag in often if not is_generic(tag) and _made_up_words(tag))
    tag = next(made_up, None)
    return tag if tag and not _made_up_words(tag).issubset(said) else None


def _made_up_words(tag: str) -> set[str]:
    words = stems(tag)
    return {word for word in words if word.isalpha() and len(word) > 2 and not is_english(word)}


def mixed_bases(cards: Sequence[Card]) -> list[str]:
    """A sentence on models for two base models of which neither was trained from the other: they
    load together, as LoRAs for Pony and Illustrious do, but do not look as they were trained.
    """
    for one, other in itertools.combinations(cards, 2):
        base, next_base = one.base_model or "", other.base_model or ""
        of_one_line = covers(base, next_base) or covers(next_base, base)
        if shares_layers(base, next_base) and not of_one_line:
            return [
                say(
                    "{models}: they load together, but one of them may not look like itself. Swap "
                    "it for one of the other's base model.",
                    models=listed([made_for(one), made_for(other)], "and"),
                )
            ]
    return []


def made_for(card: Card) -> str:
    """For which base model a card is."""
    return say("{name} is for {base}", name=card.name, base=spoken(card.base_model))


def _name(card_id: str, entry: CardView) -> str:
    """The name of another card of the same catalogue."""
    catalogue = entry.catalogue
    return catalogue.cards[catalogue.position_of[card_id]].name
