"""Cards as requests see them: one with its facts, and a selection of them that is narrowed without
looking at each.
"""

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
    def place(self) -> dict[str, int]:
        """Where the card with an id stands."""
        return {one: position for position, one in enumerate(self.ids)}


@dataclass(frozen=True, slots=True)
class CardView:
    """One card with all that requests are compared with; each fact is looked up when it is asked
    for.
    """

    catalogue: Catalogue
    position: int

    @property
    def card(self) -> Card:
        return self.catalogue.cards[self.position]

    @property
    def id(self) -> str:
        return self.catalogue.ids[self.position]

    @property
    def subjects(self) -> frozenset[SubjectKey]:
        return self.catalogue.columns.subjects[self.position]

    @property
    def styles(self) -> frozenset[Phrase]:
        return self.catalogue.columns.styles[self.position]

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers."""
        return self.catalogue.columns.number[self.position]

    @property
    def display_subjects(self) -> tuple[str, ...]:
        """What it is of, in words to show."""
        return self.catalogue.columns.display_subjects[self.position]

    @property
    def created_at(self) -> datetime | None:
        moment = int(self.catalogue.columns.created_us[self.position])
        return None if moment == NO_DATE else EPOCH + timedelta(microseconds=moment)

    @property
    def pure_style(self) -> bool:
        return bool(self.catalogue.columns.pure_style[self.position])


@dataclass(frozen=True, eq=False)
class CardSelection(Sequence[CardView]):
    """A selection, in an order. `positions`: int [selected], where they stand in the catalogue."""

    catalogue: Catalogue
    positions: Array

    @classmethod
    def of(cls, entries: Sequence[CardView]) -> CardSelection:
        """The same models as a selection; at least one, where they are none yet."""
        if isinstance(entries, CardSelection):
            return entries
        return cls(entries[0].catalogue, np.array([entry.position for entry in entries], np.int64))

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
        return self.catalogue.columns

    def at(self, positions: Array) -> CardSelection:
        """Other models of the same catalogue."""
        return CardSelection(self.catalogue, positions)

    def where(self, mask: Array) -> CardSelection:
        """Those for which `mask`, bool [all cards], is true."""
        return self.at(self.positions[mask[self.positions]])

    def with_ids(self, ids: Collection[str]) -> CardSelection:
        """Those that have one of the ids."""
        wanted = {self.catalogue.place[one] for one in ids}
        return self.at(self.positions[np.isin(self.positions, list(wanted))])

    def ids(self) -> tuple[str, ...]:
        ids = self.catalogue.ids
        return tuple(ids[position] for position in self.positions.tolist())

    def newest(self) -> CardView:
        """The newest build, the highest version where dates do not tell; the first of equals."""
        return self[int(np.argmax(self.columns.order[self.positions]))]

    def newest_few(self, count: int) -> CardSelection:
        """The newest, newest first; at most `count`."""
        if count >= len(self):
            return self.newest_first()
        few = np.argpartition(self.columns.order[self.positions], -count)[-count:]
        return self.at(self.positions[few]).newest_first()

    def newest_first(self) -> CardSelection:
        """Newest first; equals stay in their order."""
        return self.sorted(self.columns.order, descending=True)

    def sorted(self, key: Array, descending: bool = False) -> CardSelection:
        """By `key`, int [all cards]; equals stay in their order."""
        keys = key[self.positions]
        return self.at(self.positions[np.argsort(-keys if descending else keys, kind="stable")])

    def groups(self, keys: Array) -> Groups:
        """The models with the same key together; `keys`: int [selected]."""
        return Groups.of(self, keys)

    def lineages(self) -> Groups:
        """The models by what they are builds of."""
        return self.groups(self.columns.lineage[self.positions])

    def labelled(
        self, label: Callable[[CardView], str], *columns: Array
    ) -> tuple[list[str], Array]:
        """(the different labels as they come, int [selected]: which of them each has).

        The label of a model is told by the columns, int [all cards]: of models that are alike in
        these, one is asked.
        """
        keys = np.zeros(len(self), np.int64)
        for column in columns:
            _, own = np.unique(column[self.positions], return_inverse=True)
            keys = keys * (int(own.max(initial=0)) + 1) + own
            _, keys = np.unique(keys, return_inverse=True)
        alike = self.groups(keys)
        numbers: dict[str, int] = {}
        labels = [numbers.setdefault(label(entry), len(numbers)) for entry in alike.first()]
        return list(numbers), np.array(labels, np.int64)[alike.number]


@dataclass(frozen=True, eq=False)
class Groups:
    """A selection in groups, in the order of their first members."""

    entries: CardSelection
    number: Array
    """int [selected]: the group of each."""
    count: int

    @classmethod
    def of(cls, entries: CardSelection, keys: Array) -> Groups:
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return cls(entries, rank[inverse], len(first))

    def __len__(self) -> int:
        return self.count

    def members(self) -> list[CardSelection]:
        """The models of each group."""
        places = np.argsort(self.number, kind="stable")
        ends = np.cumsum(np.bincount(self.number, minlength=self.count))[:-1]
        return [self.entries.at(part) for part in np.split(self.entries.positions[places], ends)]

    def any(self, mask: Array) -> Array:
        """Bool [groups]: which have a member for which `mask`, bool [all cards], is true."""
        return np.bincount(self.number[mask[self.entries.positions]], minlength=self.count) > 0

    def only(self, groups: Array) -> CardSelection:
        """The members of those groups for which `groups`, bool, is true; one group after the
        other.
        """
        places = np.argsort(self.number, kind="stable")
        return self.entries.at(self.entries.positions[places[groups[self.number[places]]]])

    def first(self) -> CardSelection:
        """The first model of each group."""
        return self.best(np.zeros(len(self.number)))

    def newest(self) -> CardSelection:
        """The newest model of each group."""
        return self.best(self.entries.columns.order[self.entries.positions])

    def best(self, score: Array) -> CardSelection:
        """The model of each group with the greatest score, [selected]; the first of equals."""
        places = np.lexsort((-score, self.number))
        _, first = np.unique(self.number[places], return_index=True)
        return self.entries.at(self.entries.positions[places[first]])
