"""The order in which retrieval puts models for one request."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..catalog.selection import CardSelection, CardView
from ..index.repository import Repository

_MAX_RANKED = 50
"""How many models, the newest, retrieval puts in order. Older ones follow by date."""


class Ranker:
    """Ranks models for one request; `notices` collects those of retrieval."""

    def __init__(self, request: str, repository: Repository):
        self.notices: list[str] = []
        self._request = request
        self._repository = repository

    def __call__(self, entries: Sequence[CardView]) -> CardSelection:
        """The same models, best match first."""
        newest_first = CardSelection.of(entries).newest_first()
        shown = {entry.id: entry for entry in newest_first[:_MAX_RANKED]}
        ordered = self._repository.rank(self._request, [entry.card for entry in shown.values()])
        self.notices += [notice for notice in ordered.notices if notice not in self.notices]
        first = CardSelection.of([shown[card.id] for card in ordered.cards])
        rest = newest_first[_MAX_RANKED:]
        return newest_first.at(np.concatenate([first.positions, rest.positions]))
