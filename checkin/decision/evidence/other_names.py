"""Further names of the cards of a library: of the same person or pet, and of what is no food."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ...catalog.bearers import OF_BASES
from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...lexicon import Phrase


class OtherNames:
    """What cards are also called, as others of whom or what they are of are."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._cards = defaultdict[str, list[int]](list)
        for key in filter(_is_name, columns.bearers.values):
            cards = columns.bearers.cards_of(key).tolist()
            for word in {word for one in cards for word in columns.called[one]}:
                self._cards[word] += cards
        lineage = columns.lineage
        self.beings: Array = np.isin(lineage, lineage[columns.kinds.any_of(("being",))])
        """Bool [cards]: those of beings, also of ones called Biscuit, who are no cookies."""

    def cards(self, word: str) -> list[int]:
        """The cards of whom or what any is called so: "me" -> brandi_flux."""
        return self._cards.get(word, [])

    def names_of(self, card: int) -> list[Phrase]:
        """What a card is called, and what others of whom or what it is of are."""
        columns = self._columns
        keys = filter(_is_name, columns.bearers[card])
        mates = {one for key in keys for one in columns.bearers.cards_of(key).tolist()}
        return sorted({columns.called[card], *(columns.called[one] for one in mates)})


def _is_name(key: str) -> bool:
    """Whether all of a bearer are called as any of them is."""
    return not key.startswith(OF_BASES)
