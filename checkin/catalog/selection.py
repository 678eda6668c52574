"""Views of single cards, and selections of cards that are narrowed by columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import overload

import numpy as np

from ..lexicon import Phrase
from .cards import Card
from .columns import Array
from .facts import EPOCH, NO_DATE, Columns
from .subject_key import SubjectKey


@dataclass(frozen=True, eq=False)
class Catalogue:
    """All cards of a repository, with their facts."""

    cards: Sequence[Card]
    ids: Sequence[str]
    columns: Columns

    @cached_property
    def position_of(self) -> dict[str, int]:
        """The position of each card, by id."""
        return {one: position for position, one in enumerate(self.ids)}


@dataclass(frozen=True, slots=True)
class CardView:
    """One card with its facts, each of which is looked up on access."""

    catalogue: Catalogue
    position: int

    @property
    def card(self) -> Card:
        """The card itself."""
        return self.catalogue.cards[self.position]

    @property
    def id(self) -> str:
        """The card's id."""
        return self.catalogue.ids[self.position]

    @property
    def subjects(self) -> frozenset[SubjectKey]:
        """The keys by which it can be asked for."""
        return self.catalogue.columns.subjects[self.position]

    @property
    def styles(self) -> frozenset[Phrase]:
        """Its styles as requests name them."""
        return self.catalogue.columns.styles[self.position]

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers, (1, 10) for "v1.10"; empty without a version."""
        return self.catalogue.columns.number[self.position]

    @property
    def display_subjects(self) -> tuple[str, ...]:
        """The subjects, as shown to people."""
        return self.catalogue.columns.display_subjects[self.position]

    @property
    def created_at(self) -> datetime | None:
        """When the model was made, in UTC."""
        moment = int(self.catalogue.columns.created_us[self.position])
        return None if moment == NO_DATE else EPOCH + timedelta(microseconds=moment)

    @property
    def pure_style(self) -> bool:
        """Whether it is a style for any subject."""
        return bool(self.catalogue.columns.pure_style[self.position])


@dataclass(frozen=True, eq=False)
class CardSelection(Sequence[CardView]):
    """An ordered selection of a catalogue's cards.

    `positions`, int [selected], are the cards' positions in the catalogue.
    """

    catalogue: Catalogue
    positions: Array

    @classmethod
    def of(cls, views: Sequence[CardView]) -> CardSelection:
        """The cards as a selection; `views` is a selection already, or has at least one card."""
        if isinstance(views, CardSelection):
            return views
        return cls(views[0].catalogue, np.array([view.position for view in views], np.int64))

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, index: int) -> CardView: ...

    @overload
    def __getitem__(self, index: slice) -> CardSelection: ...

    def __getitem__(self, index: int | slice) -> CardView | CardSelection:
        if isinstance(index, slice):
            return self.at(self.positions[index])
        return CardView(self.catalogue, int(self.positions[index]))

    def __iter__(self) -> Iterator[CardView]:
        return (CardView(self.catalogue, position) for position in self.positions.tolist())

    @property
    def columns(self) -> Columns:
        """The facts of all cards of the catalogue."""
        return self.catalogue.columns

    def at(self, positions: Array) -> CardSelection:
        """A selection of other cards of the same catalogue."""
        return CardSelection(self.catalogue, positions)

    def where(self, mask: Array) -> CardSelection:
        """The selected cards for which `mask`, bool [all cards], is true."""
        return self.at(self.positions[mask[self.positions]])

    def with_ids(self, ids: Collection[str]) -> CardSelection:
        """The selected cards that have one of the ids."""
        wanted = {self.catalogue.position_of[one] for one in ids}
        return self.at(self.positions[np.isin(self.positions, list(wanted))])

    def ids(self) -> tuple[str, ...]:
        """The ids, in order."""
        ids = self.catalogue.ids
        return tuple(ids[position] for position in self.positions.tolist())

    def newest(self) -> CardView:
        """The newest card; of several from one date the highest version, then the first card."""
        return self[int(np.argmax(self.columns.order[self.positions]))]

    def newest_few(self, count: int) -> CardSelection:
        """At most `count` of the newest cards, newest first."""
        if count >= len(self):
            return self.newest_first()
        few = np.argpartition(self.columns.order[self.positions], -count)[-count:]
        return self.at(self.positions[few]).newest_first()

    def newest_first(self) -> CardSelection:
        """The cards, newest first; equal cards stay in their order."""
        return self.sorted(self.columns.order, descending=True)

    def sorted(self, key: Array, descending: bool = False) -> CardSelection:
        """The cards ordered by `key`, int [all cards]; equal cards stay in their order."""
        keys = key[self.positions]
        return self.at(self.positions[np.argsort(-keys if descending else keys, kind="stable")])

    def groups(self, keys: Array) -> Groups:
        """Groups of cards with the same key; `keys`: int [selected]."""
        return Groups.of(self, keys)

    def lineages(self) -> Groups:
        """The builds of each lineage."""
        return self.groups(self.columns.lineage[self.positions])

    def labelled(
        self, label: Callable[[CardView], str], *columns: Array
    ) -> tuple[list[str], Array]:
        """(the distinct labels in order, int [selected]: the position of each card's label).

        `columns`, int [all cards], determine the label: `label` is called for only one of the cards
        that have the same values in all of them.
        """
        keys = np.zeros(len(self), np.int64)
        for column in columns:
            _, own = np.unique(column[self.positions], return_inverse=True)
            keys = keys * (int(own.max(initial=0)) + 1) + own
            _, keys = np.unique(keys, return_inverse=True)
        alike = self.groups(keys)
        numbers: dict[str, int] = {}
        labels = [numbers.setdefault(label(view), len(numbers)) for view in alike.first()]
        return list(numbers), np.array(labels, np.int64)[alike.number]


@dataclass(frozen=True, eq=False)
class Groups:
    """A selection divided into groups, in the order of their first cards."""

    selection: CardSelection
    number: Array
    """int [selected]: the group of each card."""
    count: int

    @classmethod
    def of(cls, selection: CardSelection, keys: Array) -> Groups:
        """Groups of cards with the same key; `keys`: int [selected]."""
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return cls(selection, rank[inverse], len(first))

    def __len__(self) -> int:
        return self.count

    def members(self) -> list[CardSelection]:
        """The cards of each group."""
        places = np.argsort(self.number, kind="stable")
        ends = np.cumsum(np.bincount(self.number, minlength=self.count))[:-1]
        return [
            self.selection.at(part) for part in np.split(self.selection.positions[places], ends)
        ]

    def any(self, mask: Array) -> Array:
        """Bool [groups]: whether any card of the group is in `mask`, bool [all cards]."""
        return np.bincount(self.number[mask[self.selection.positions]], minlength=self.count) > 0

    def only(self, groups: Array) -> CardSelection:
        """The members of the groups for which `groups`, bool [groups], is true, group by group."""
        places = np.argsort(self.number, kind="stable")
        return self.selection.at(self.selection.positions[places[groups[self.number[places]]]])

    def first(self) -> CardSelection:
        """The first card of each group."""
        return self.best(np.zeros(len(self.number)))

    def newest(self) -> CardSelection:
        """The newest card of each group."""
        return self.best(self.selection.columns.order[self.selection.positions])

    def best(self, score: Array) -> CardSelection:
        """The card of each group with the highest `score`, [selected]; of equals, the first."""
        places = np.lexsort((-score, self.number))
        _, first = np.unique(self.number[places], return_index=True)
        return self.selection.at(self.selection.positions[places[first]])
