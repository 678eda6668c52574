"""Notices about a chosen model: where the request disagrees with it, and unusable triggers."""

from __future__ import annotations

from ..catalog.cards import Card
from ..catalog.selection import CardSelection, CardView
from ..lexicon.spelling import joined
from .constraints import Reading


def contradictions(reading: Reading, entry: CardView, library: CardSelection) -> list[str]:
    """Sentences on where the request disagrees with the model.

    The model was named in the request, or picked by hand.
    """
    missed = [
        f"'{constraint.words}'"
        for constraint in reading.constraints
        if entry.position not in constraint.keeps(library).positions
    ]
    said = [f"Not used to choose the model: {joined(missed, 'and')}."] if missed else []
    names = reading.intent.names
    if names and entry.id not in names:
        said.append(f"The request names another model: {_name(names[0], entry)}.")
    return said


def unusable_triggers(card: Card) -> list[str]:
    """Sentences on the card's triggers that cannot be used in a prompt."""
    said = [f"The trigger {one}." for one in card.unusable]
    return [*said, f"{card.name} has no other trigger."] if said and not card.triggers else said


def _name(card_id: str, entry: CardView) -> str:
    """The name of another card of the same catalogue."""
    catalogue = entry.catalogue
    return catalogue.cards[catalogue.position_of[card_id]].name
