"""What requests are compared with: the facts of one card, and of all cards of a repository column
by column.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from ..lexicon import Phrase
from .cards import Card
from .columns import Array, CategoricalColumn, ColumnBuilder, MultiValueColumn

SURE = ("file", "cards.jsonl", "")
"""Sources of a hash that is believed: a sidecar may have been copied from another model."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_DATE = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Facts:
    """What is compared of one card."""

    subjects: frozenset[Phrase]
    styles: frozenset[Phrase]
    words: frozenset[str]
    names: frozenset[str]
    """By which a request may call this very card."""
    sparse: tuple[str, ...]
    """The words that BM25 looks at, repeated as in the text."""
    lineage: tuple[object, ...]
    """What it is a build of."""
    medium: frozenset[Phrase]
    """The looks that tell builds of one lineage apart; empty where none is known."""
    number: tuple[int, ...]
    """The version as numbers, (1, 10) for "v1.10"; empty without a version."""
    things: tuple[str, ...]
    """What it is of, in words to show."""


@dataclass(frozen=True)
class Columns:
    """The facts of all cards, and what else of them is asked for often."""

    subjects: MultiValueColumn
    styles: MultiValueColumn
    words: MultiValueColumn
    names: MultiValueColumn
    sparse: MultiValueColumn
    """The words that BM25 looks at, repeated as in the text."""
    number: CategoricalColumn
    things: CategoricalColumn
    named: CategoricalColumn
    """The subjects as the cards say them."""
    tagged: CategoricalColumn
    """The styles as the cards say them."""
    version: CategoricalColumn
    kind: CategoricalColumn
    base_model: CategoricalColumn
    triggered: CategoricalColumn
    """Whether it has a trigger."""
    content: CategoricalColumn
    """SHA-256 of the file, None where it is not known for sure."""
    made: Array
    """int64 [cards]: microseconds since 1970, NO_DATE where it is not known."""
    kin: Array
    """int64 [cards]: equal for builds of the same thing, in whatever look."""
    medium: Array
    """int64 [cards]: equal for the same look; 0 where none is known."""

    @classmethod
    def of(cls, cards: Iterable[Card], facts_of: Callable[[Card], Facts]) -> Columns:
        collected = CollectedFacts()
        for card in cards:
            collected.add(card, facts_of(card))
        return collected.columns()

    def joined(self, places: Array, others: Columns, order: Array) -> Columns:
        """The facts of the cards at `places` and of the other cards, all of them put in an
        order.
        """
        columns: dict[str, Any] = {}
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(others, field.name)
            if isinstance(mine, np.ndarray):
                columns[field.name] = np.concatenate([mine[places], theirs])[order]
            else:
                columns[field.name] = (mine.take(places) + theirs).take(order).compact()
        return Columns(**columns)

    @cached_property
    def lineage(self) -> Array:
        """int64 [cards]: equal for builds of the same thing in the same look.

        A build of which no look is known counts with the others where these have one look between
        them.
        """
        _, groups = np.unique(self.kin, return_inverse=True)
        known = self.medium != 0
        bounds = np.iinfo(np.int64)
        least, most = np.full(len(self.kin), bounds.max), np.full(len(self.kin), bounds.min)
        np.minimum.at(least, groups[known], self.medium[known])
        np.maximum.at(most, groups[known], self.medium[known])
        several = least[groups] < most[groups]
        return self.kin ^ np.where(several, self.medium, 0)

    @cached_property
    def number_rank(self) -> Array:
        """int64 [cards]: by version; a card without one comes first."""
        values = self.number.values
        ranks = np.empty(len(values), np.int64)
        ranks[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
        return ranks[self.number.codes]

    @cached_property
    def order(self) -> Array:
        """int64 [cards]: by date, then by version; newest is greatest, and equals are equal."""
        number = self.number_rank
        places = np.lexsort((number, self.made))
        steps = (np.diff(self.made[places]) != 0) | (np.diff(number[places]) != 0)
        order = np.zeros(len(number), np.int64)
        order[places[1:]] = np.cumsum(steps)
        return order

    @cached_property
    def everyone(self) -> Array:
        """Int [cards]: different for each."""
        return np.arange(len(self.made))

    @cached_property
    def dated(self) -> Array:
        """Bool [cards]."""
        return self.made != NO_DATE

    @cached_property
    def numbered(self) -> Array:
        """Bool [cards]: whether it has a version."""
        return self.number.where(bool)

    @cached_property
    def pure_style(self) -> Array:
        """Bool [cards]: a look for anything: it has one, and nothing that is known of it names a
        thing.
        """
        return self.styles.filled & ~self.subjects.filled

    @cached_property
    def personal(self) -> Array:
        """Bool [cards]: whether a request can mean it: a plain base model has no trigger, no
        subject and no look.
        """
        return self.triggered.where(bool) | self.subjects.filled | self.styles.filled


class CollectedFacts:
    """The facts of cards as they come in."""

    def __init__(self) -> None:
        self._several = {
            name: ColumnBuilder() for name in ("subjects", "styles", "words", "names", "sparse")
        }
        self._one = {
            name: ColumnBuilder()
            for name in ("number", "things", "named", "tagged", "triggered", "content")
        }
        self._own = {name: ColumnBuilder() for name in ("version", "kind", "base_model")}
        self._arrays = {name: array("q") for name in ("made", "kin", "medium")}

    def add(self, card: Card, facts: Facts) -> None:
        for name, column in self._several.items():
            column.add(*getattr(facts, name))
        for name, column in self._own.items():
            column.add(getattr(card, name))
        self._one["number"].add(facts.number)
        self._one["things"].add(facts.things)
        self._one["named"].add(card.subjects)
        self._one["tagged"].add(card.styles)
        self._one["triggered"].add(bool(card.triggers))
        self._one["content"].add(card.sha256 if card.sources.get("sha256", "") in SURE else None)
        self._arrays["made"].append(microseconds(card.created_at))
        self._arrays["kin"].append(_number_of(facts.lineage))
        self._arrays["medium"].append(_number_of((facts.medium,)) if facts.medium else 0)

    def columns(self) -> Columns:
        columns: dict[str, Any] = {name: column.sets() for name, column in self._several.items()}
        columns |= {name: column.codes() for name, column in (self._one | self._own).items()}
        columns |= {name: np.array(values, np.int64) for name, values in self._arrays.items()}
        return Columns(**columns)


def microseconds(moment: datetime | None) -> int:
    """The moment as `Columns.made` has it."""
    return (moment - EPOCH) // timedelta(microseconds=1) if moment else int(NO_DATE)


def _number_of(lineage: tuple[object, ...]) -> int:
    """A number of 64 bits for a lineage, the same in every process."""
    text = repr([sorted(part) if isinstance(part, frozenset) else part for part in lineage])
    return int.from_bytes(
        blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "big", signed=True
    )
