"""What requests are compared with: the facts of one card, and of all cards of a repository column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

import numpy as np

from .cards import Card
from .columns import Array, Codes, Collected, Sets
from .lexicon import Phrase

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
    lineage: tuple[object, ...]
    number: tuple[int, ...]
    """The version as numbers, (1, 10) for "v1.10"; empty without a version."""
    things: tuple[str, ...]
    """What it is of, in words to show."""


@dataclass(frozen=True)
class Columns:
    """The facts of all cards, and what else of them is asked for often."""

    subjects: Sets
    styles: Sets
    words: Sets
    names: Sets
    lineage: Codes
    number: Codes
    things: Codes
    shown: Codes
    """(subjects, styles) as the cards say them."""
    version: Codes
    kind: Codes
    base_model: Codes
    triggered: Codes
    """Whether it has a trigger."""
    made: Array
    """int64 [cards]: microseconds since 1970, NO_DATE where it is not known."""

    @classmethod
    def of(cls, cards: Iterable[Card], facts_of: Callable[[Card], Facts]) -> Columns:
        several = {name: Collected() for name in ("subjects", "styles", "words", "names")}
        one = {
            name: Collected()
            for name in ("lineage", "number", "things", "shown", "version", "kind", "base_model", "triggered")
        }
        made = []
        for card in cards:
            facts = facts_of(card)
            for name, column in several.items():
                column.add(*getattr(facts, name))
            for name in ("lineage", "number", "things"):
                one[name].add(getattr(facts, name))
            for name in ("version", "kind", "base_model"):
                one[name].add(getattr(card, name))
            one["shown"].add((card.subjects, card.styles))
            one["triggered"].add(bool(card.triggers))
            made.append(microseconds(card.created_at))
        return cls(
            **{name: column.sets() for name, column in several.items()},
            **{name: column.codes() for name, column in one.items()},
            made=np.array(made, np.int64),
        )

    @cached_property
    def order(self) -> Array:
        """int64 [cards]: by date, then by version; newest is greatest, and equals are equal."""
        number = self.number_rank
        sorted_places = np.lexsort((number, self.made))
        steps = (np.diff(self.made[sorted_places]) != 0) | (np.diff(number[sorted_places]) != 0)
        order = np.empty(len(number), np.int64)
        order[sorted_places] = np.concatenate(([0], np.cumsum(steps))) if len(number) else []
        return order

    @cached_property
    def number_rank(self) -> Array:
        """int64 [cards]: by version; a card without one comes first."""
        values = self.number.values
        ranks = np.empty(len(values), np.int64)
        ranks[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
        return ranks[self.number.codes]

    @cached_property
    def everyone(self) -> Array:
        """int [cards]: different for each."""
        return np.arange(len(self.made))

    @cached_property
    def dated(self) -> Array:
        """bool [cards]"""
        return self.made != NO_DATE

    @cached_property
    def numbered(self) -> Array:
        """bool [cards]: whether it has a version."""
        return self.number.where(bool)

    @cached_property
    def pure_style(self) -> Array:
        """bool [cards]: a look for anything: it has one, and nothing that is known of it names a thing."""
        return self.styles.filled & ~self.subjects.filled

    @cached_property
    def personal(self) -> Array:
        """bool [cards]: whether a request can mean it: a plain base model has no trigger, no subject and no look."""
        return self.triggered.where(bool) | self.subjects.filled | self.styles.filled


def microseconds(moment: datetime | None) -> int:
    """The moment as `Columns.made` has it."""
    return (moment - EPOCH) // timedelta(microseconds=1) if moment else int(NO_DATE)
