"""Columns: one attribute of all cards as arrays, so that one comparison covers 100,000 cards."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, KeysView, Sequence
from functools import cached_property
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class CategoricalColumn:
    """A dictionary-encoded column: one value for each card.

    `values` are the distinct values; `codes`, int32 [cards], are the positions of the cards' values
    in them.
    """

    def __init__(self, values: Sequence[Any], codes: Array) -> None:
        self.values, self.codes = values, codes

    def __getitem__(self, position: int) -> Any:
        return self.values[self.codes[position]]

    @cached_property
    def values_set(self) -> frozenset[Any]:
        """The distinct values, as a set."""
        return frozenset(self.values)

    def take(self, places: Array) -> CategoricalColumn:
        """The column of the cards at `places`, in that order."""
        return CategoricalColumn(self.values, self.codes[places])

    def __add__(self, other: CategoricalColumn) -> CategoricalColumn:
        """The column of these cards, followed by the other one."""
        values, numbers = _united(self.values, other.values)
        return CategoricalColumn(values, np.concatenate([self.codes, numbers[other.codes]]))

    def compact(self) -> CategoricalColumn:
        """The same column, without values that no card has."""
        used, codes = np.unique(self.codes, return_inverse=True)
        return CategoricalColumn(
            [self.values[number] for number in used.tolist()], codes.astype(np.int32)
        )

    def where(self, fits: Callable[[Any], bool]) -> Array:
        """Bool [cards]: whether the card's value fits.

        `fits` is called once for each distinct value.
        """
        return np.fromiter(map(fits, self.values), bool, len(self.values))[self.codes]


class MultiValueColumn:
    """A column with any number of values for each card, stored like the rows of a CSR matrix.

    Card i has `values[members[offsets[i]:offsets[i + 1]]]`. `values` are the distinct values;
    `offsets` is int64 [cards + 1]; `members` is int32.
    """

    def __init__(self, values: Sequence[Any], offsets: Array, members: Array) -> None:
        self.values, self.offsets, self.members = values, offsets, members

    def __getitem__(self, position: int) -> frozenset[Any]:
        return frozenset(self.values[number] for number in self._row(position))

    def take(self, places: Array) -> MultiValueColumn:
        """The column of the cards at `places`, in that order."""
        sizes = np.diff(self.offsets)[places]
        offsets = row_offsets(sizes)
        members = self.members[
            np.repeat(self.offsets[:-1][places] - offsets[:-1], sizes) + np.arange(offsets[-1])
        ]
        return MultiValueColumn(self.values, offsets, members)

    def __add__(self, other: MultiValueColumn) -> MultiValueColumn:
        """The column of these cards, followed by the other one."""
        values, numbers = _united(self.values, other.values)
        offsets = np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]])
        return MultiValueColumn(
            values, offsets, np.concatenate([self.members, numbers[other.members]])
        )

    def compact(self) -> MultiValueColumn:
        """The same column, without values that no card has."""
        used, members = np.unique(self.members, return_inverse=True)
        return MultiValueColumn(
            [self.values[number] for number in used.tolist()],
            self.offsets,
            members.astype(np.int32),
        )

    def any_of(self, wanted: Iterable[Any]) -> Array:
        """Bool [cards]: whether the card has at least one of the values."""
        mask = np.zeros(len(self.offsets) - 1, bool)
        for value in wanted:
            mask[self.cards_of(value)] = True
        return mask

    def all_of(self, wanted: Iterable[Any]) -> Array:
        """Bool [cards]: whether the card has all of the values."""
        mask = np.ones(len(self.offsets) - 1, bool)
        for value in wanted:
            mask &= self.any_of((value,))
        return mask

    def cards_of(self, value: Any) -> Array:
        """The positions of the cards that have a value."""
        number = self._numbers.get(value)
        starts, cards = self._postings
        return cards[:0] if number is None else cards[starts[number] : starts[number + 1]]

    @property
    def values_set(self) -> KeysView[Any]:
        """The distinct values, as a set."""
        return self._numbers.keys()

    @cached_property
    def filled(self) -> Array:
        """Bool [cards]: whether the card has any value."""
        return np.diff(self.offsets) > 0

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return {value: number for number, value in enumerate(self.values)}

    @cached_property
    def _postings(self) -> tuple[Array, Array]:
        """The inverted index: (where the cards of each value begin, the cards by value)."""
        cards = np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))
        starts = row_offsets(np.bincount(self.members, minlength=len(self.values)))
        return starts, cards[np.argsort(self.members, kind="stable")]

    def _row(self, position: int) -> Array:
        return self.members[self.offsets[position] : self.offsets[position + 1]]


def row_offsets(sizes: Any) -> Array:
    """int64 [rows + 1]: where rows of these sizes begin, one after another, and the last ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def _united(values: Sequence[Any], more: Sequence[Any]) -> tuple[list[Any], Array]:
    """(the union of both, int32 [more]: the position of each of `more` in the union)."""
    numbers = {value: number for number, value in enumerate(values)}
    places = np.array([numbers.setdefault(value, len(numbers)) for value in more], np.int32)
    return list(numbers), places


class ColumnBuilder:
    """A column that is filled card by card; each distinct value is stored once."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._members = array("i")
        self._offsets = array("q", [0])

    def add(self, *values: Any) -> None:
        """Append the values of the next card."""
        numbers = self._numbers
        self._members.extend([numbers.setdefault(value, len(numbers)) for value in values])
        self._offsets.append(len(self._members))

    def codes(self) -> CategoricalColumn:
        """The column, for cards that have one value each."""
        return CategoricalColumn(list(self._numbers), np.array(self._members, np.int32))

    def sets(self) -> MultiValueColumn:
        """The column, for cards that have any number of values."""
        return MultiValueColumn(
            list(self._numbers),
            np.array(self._offsets, np.int64),
            np.array(self._members, np.int32),
        )
