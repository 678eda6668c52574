"""What the user should know of a chosen model: where the request disagrees with it, and triggers
that no prompt can hold.
"""

from __future__ import annotations

from ..catalog.cards import Card
from ..catalog.selection import CardSelection, CardView
from ..lexicon.spelling import joined
from .constraints import Reading


def contradictions(reading: Reading, entry: CardView, library: CardSelection) -> list[str]:
    """Where the request disagrees with a model that it names, or that was picked by hand; a
    sentence each.
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
    """Triggers of the card that no prompt can hold; a sentence each."""
    said = [f"The trigger {one}." for one in card.unusable]
    return [*said, f"{card.name} has no other trigger."] if said and not card.triggers else said


def _name(card_id: str, entry: CardView) -> str:
    """The name of another card of the same catalogue."""
    catalogue = entry.catalogue
    return catalogue.cards[catalogue.position_of[card_id]].name
