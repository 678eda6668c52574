"""Cards as they are made of what was read, each with its facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..catalog.card_facts import facts_of
from ..catalog.cards import Card
from ..catalog.facts import ColumnsBuilder
from ..readers.failures import reason
from .lineage import lineage_of


class MadeCards:
    """The cards of a snapshot, one after the other."""

    def __init__(self, notices: list[str]) -> None:
        """`notices` gets one for each card that is left out."""
        self._notices = notices
        self.lines: list[bytes] = []
        self.ids: list[str] = []
        self.places: list[int] = []
        """Where each stands in the snapshot before; -1 for a new one."""
        self.facts = ColumnsBuilder()
        """Of the new ones."""

    def keep(self, one: str, line: bytes, place: int) -> None:
        """The card with the id `one`, as it was in the snapshot before."""
        self.lines.append(line)
        self.ids.append(one)
        self.places.append(place)

    def add(self, name: str, values: Mapping[str, Any]) -> bool:
        """A new card; left out, with a notice, where none can be made of these values."""
        try:
            card = _with_lineage(Card.from_dict(values))
            line, facts = json.dumps(card.as_dict()).encode(), facts_of(card)
        except Exception as error:
            self._notices.append(f"{name}: left out: {reason(error)}")
            return False
        self.facts.add(card, facts)
        self.keep(card.id, line, -1)
        return True


def _with_lineage(card: Card) -> Card:
    if card.lineage:
        return card
    return replace(card, lineage=lineage_of(card), sources={**card.sources, "lineage": "file name"})
