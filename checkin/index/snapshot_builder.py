"""Builds a snapshot card by card: cards of the last snapshot are reused, others newly made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..catalog.card_facts import facts_of
from ..catalog.cards import Card
from ..catalog.facts import Columns, ColumnsBuilder
from ..lexicon.sentences import say
from ..readers.failures import reason, shown
from .lineage import DERIVED, lineage_of
from .snapshot import Snapshot, StoredCard, StoredCards


class _SnapshotCard(NamedTuple):
    """One card of the snapshot that is built."""

    id: str
    stored: StoredCard
    reused_from: int | None
    """Its position in the last snapshot; None for a card that was newly made."""


class SnapshotBuilder:
    """The cards of a snapshot, in the order in which they are added."""

    def __init__(self, last: Snapshot | None, notices: list[str]) -> None:
        """`last` is the previous snapshot; `notices` gets one notice for each card left out."""
        self._last = last
        self._notices = notices
        self._cards: list[_SnapshotCard] = []
        self._new_facts = ColumnsBuilder()

    def reuse(self, position: int) -> None:
        """Add the card at a position of the last snapshot, with its facts."""
        assert self._last is not None
        stored = self._last.cards.stored(position)
        self._cards.append(_SnapshotCard(self._last.ids[position], stored, position))

    def add(self, name: str, values: Mapping[str, Any]) -> bool:
        """Add a card made from these values; False if they do not make a card.

        Such a card is left out, with a notice that calls it `name`.
        """
        try:
            card = _with_lineage(Card.from_dict(values))
            stored, facts = _stored(card), facts_of(card)
        except Exception as error:
            said = say("left out: {why}", why=reason(error))
            self._notices.append(f"{name}: {said}")
            return False
        self._new_facts.add(card, facts)
        self._cards.append(_SnapshotCard(card.id, stored, None))
        return True

    def snapshot(self, version: str, hashed: bool) -> Snapshot:
        """The snapshot of the cards that were added; `version` and `hashed` as in `Snapshot`."""
        return Snapshot(
            cards=StoredCards.of([card.stored for card in self._cards]),
            ids=[card.id for card in self._cards],
            columns=self._columns(),
            notices=tuple(map(shown, self._notices)),
            version=version,
            hashed=hashed,
        )

    def _columns(self) -> Columns:
        """The facts of all cards, in the order in which these were added.

        Those of reused cards come from the last snapshot.
        """
        new_facts = self._new_facts.columns()
        reused = [card.reused_from for card in self._cards if card.reused_from is not None]
        if self._last is None or not reused:
            return new_facts
        is_new = np.array([card.reused_from is None for card in self._cards])
        order = np.argsort(np.argsort(is_new, kind="stable"))
        return self._last.columns.joined(np.array(reused, np.int64), new_facts, order)


def _stored(card: Card) -> StoredCard:
    values = card.as_dict()
    sources = values.pop("sources", {})
    line, said = (json.dumps(one, separators=(",", ":")) for one in (values, sources))
    return StoredCard(line.encode(), said)


def _with_lineage(card: Card) -> Card:
    if card.lineage:
        return card
    return replace(card, lineage=lineage_of(card), sources={**card.sources, "lineage": DERIVED})
