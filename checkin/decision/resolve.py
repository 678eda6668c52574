"""Finds the model that a reference names, by its content if known, else by its card.

If the library does not have it, the nearest models are named.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable

from ..catalog.cards import Card
from ..catalog.reference import Reference
from ..catalog.selection import CardView, Catalogue
from ..index.snapshot import StoredCards
from ..lexicon.sentences import listed, say, sentence

_FIELDS = {
    "name": sentence("name"),
    "trigger": sentence("trigger"),
    "lineage": sentence("lineage"),
    "version": sentence("version"),
    "id": sentence("id"),
}
"""What a model can be found by, in words."""
_NEAR = 3
"""How many models are offered in place of one that the library does not have."""


def find(reference: Reference, catalogue: Catalogue) -> tuple[CardView | None, list[CardView]]:
    """(the model that is meant or None, the nearest other models, best first)."""
    known = [CardView(catalogue, position) for position in sorted(_places(reference, catalogue))]
    ranked = sorted(known, key=lambda entry: _nearness(reference, entry), reverse=True)
    fitting = [entry for entry in ranked if reference.fits(entry.card)]
    if not fitting or (len(fitting) > 1 and not _decides(reference, fitting)):
        return None, ranked[:_NEAR]
    return fitting[0], ranked[1 : _NEAR + 1]


def evidence(reference: Reference, card: Card) -> str:
    """By what a card was found, in words: "name and version"."""
    agreeing = reference.agreeing(card)
    # Lineage and id mostly follow from the name.
    plain = [name for name in agreeing if name not in ("lineage", "id")]
    if reference.same_content(card) or not agreeing:
        return say("content")
    return listed([say(_FIELDS[name]) for name in plain or agreeing], "and")


def _nearness(reference: Reference, entry: CardView) -> tuple[bool, bool, bool, int, bool, int]:
    card = entry.card
    order = int(entry.catalogue.columns.order[entry.position])
    agreeing = reference.agreeing(card)
    return (
        reference.same_content(card),
        not reference.differing(card),
        reference.claims_content(card),
        len(agreeing),
        "id" in agreeing,
        order,
    )


def _decides(reference: Reference, fitting: list[CardView]) -> bool:
    """Whether the first of several fitting models is meant.

    It has the content, agrees in more fields, or is a copy of the second.
    """
    first, second = fitting[0], fitting[1]
    same = first.card.sha256 is not None and first.card.sha256 == second.card.sha256
    return same or _nearness(reference, first)[:5] > _nearness(reference, second)[:5]


def _places(reference: Reference, catalogue: Catalogue) -> set[int]:
    """Positions of the cards that have anything in common with the reference."""
    cards = catalogue.cards
    if not isinstance(cards, StoredCards):
        return {position for position, card in enumerate(cards) if _related(reference, card)}
    found: set[int] = set()
    for text in _texts(reference):
        found.update(
            position for position in cards.holding(text) if _related(reference, cards[position])
        )
    return found


def _related(reference: Reference, card: Card) -> bool:
    return reference.claims_content(card) or bool(set(reference.agreeing(card)) - {"version"})


def _texts(reference: Reference) -> Iterable[bytes]:
    """Byte strings; the JSON of every related card contains at least one of them."""
    if reference.sha256:
        yield f'"sha256": "{reference.sha256}'.encode()
    for value in (reference.id, reference.trigger, reference.lineage):
        if value:
            yield json.dumps(value).encode()
    if reference.name:
        for form in ("NFC", "NFD"):  # a Mac writes file names in the latter
            quoted = json.dumps(unicodedata.normalize(form, reference.name))
            yield from (quoted.encode(), f"{quoted[1:-1]}.".encode())  # as an id, in a file name
