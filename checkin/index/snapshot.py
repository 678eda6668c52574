"""A snapshot: all cards of a repository and their facts, in a form that loads in one read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, overload

import numpy as np

from ..catalog.cards import Card
from ..catalog.columns import (
    Array,
    CategoricalColumn,
    ColumnBuilder,
    MultiValueColumn,
    row_offsets,
)
from ..catalog.facts import Columns
from ..catalog.subject_key import Match, SubjectKey


class StoredCard(NamedTuple):
    """One card as JSON."""

    line: bytes
    """All fields but the sources."""
    sources: str


class StoredCards(Sequence[Card]):
    """Cards as JSON in one block of bytes; a card becomes an object when it is looked up.

    100,000 cards as objects would take 0.5 GB. The sources of fields, a third of a card's JSON, are
    the same in many cards: they stand in a column of their own.
    """

    def __init__(self, lines: bytes, offsets: Array, sources: CategoricalColumn) -> None:
        self.lines, self.offsets, self.sources = lines, offsets, sources

    @classmethod
    def of(cls, cards: Sequence[StoredCard]) -> StoredCards:
        """Join cards, given one by one."""
        sources = ColumnBuilder()
        for card in cards:
            sources.add(card.sources)
        lines = [card.line for card in cards]
        return cls(b"".join(lines), row_offsets([len(line) for line in lines]), sources.codes())

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Card: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Card, ...]: ...

    def __getitem__(self, index: int | slice) -> Card | tuple[Card, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        stored = self.stored(range(len(self))[index])
        return Card.from_dict(json.loads(stored.line) | {"sources": json.loads(stored.sources)})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StoredCards):
            mine, theirs = self.sources, other.sources
            same = mine.values == theirs.values and np.array_equal(mine.codes, theirs.codes)
            return same and self.lines == other.lines
        return (
            isinstance(other, Sequence)
            and len(self) == len(other)
            and all(map(Card.__eq__, self, other))
        )

    __hash__ = None  # type: ignore[assignment]

    def stored(self, position: int) -> StoredCard:
        """One card, as it is stored."""
        line = self.lines[self.offsets[position] : self.offsets[position + 1]]
        return StoredCard(line, self.sources[position])

    def holding(self, text: bytes) -> Iterator[int]:
        """The positions of the cards whose JSON contains `text`; their sources are left out."""
        found = self.lines.find(text)
        while found >= 0:
            position = int(np.searchsorted(self.offsets, found, "right")) - 1
            yield position
            found = self.lines.find(text, int(self.offsets[position + 1]))


@dataclass(frozen=True)
class Snapshot:
    """All cards of a repository, with their facts and the notices about what was left out."""

    cards: StoredCards
    ids: list[str]
    columns: Columns
    notices: tuple[str, ...]
    version: str
    hashed: bool
    """Whether the hash of every model file is known."""

    def parts(self) -> Iterator[tuple[str, bytes | memoryview]]:
        """(name, bytes) of each part of the snapshot, as the index stores them."""
        yield "cards", self.cards.lines
        yield "cards.offsets", self.cards.offsets.data
        yield "cards.sources.values", json.dumps(self.cards.sources.values).encode()
        yield "cards.sources.codes", self.cards.sources.codes.data
        yield "about", json.dumps([self.ids, self.notices, self.version, self.hashed]).encode()
        for field in fields(Columns):
            column = getattr(self.columns, field.name)
            if isinstance(column, np.ndarray):
                yield field.name, column.data
                continue
            yield f"{field.name}.values", json.dumps(column.values, default=_listed).encode()
            if isinstance(column, CategoricalColumn):
                yield f"{field.name}.codes", column.codes.data
            else:
                yield f"{field.name}.offsets", column.offsets.data
                yield f"{field.name}.members", column.members.data

    @classmethod
    def from_parts(cls, parts: Mapping[str, bytes]) -> Snapshot:
        """Rebuild a snapshot from its `parts`. Raises LookupError or ValueError for others."""
        columns: dict[str, Any] = {}
        for field in fields(Columns):
            name = field.name
            if name in parts:
                columns[name] = np.frombuffer(parts[name], np.int64)
                continue
            values = json.loads(parts[f"{name}.values"])
            if any(isinstance(value, list) for value in values):
                values = [_frozen(value) for value in values]
            if name == "subjects":  # the only column of subject keys
                values = [SubjectKey(phrase, Match(match)) for phrase, match in values]
            if f"{name}.codes" in parts:
                columns[name] = CategoricalColumn(
                    values, np.frombuffer(parts[f"{name}.codes"], np.int32)
                )
            else:
                offsets = np.frombuffer(parts[f"{name}.offsets"], np.int64)
                columns[name] = MultiValueColumn(
                    values, offsets, np.frombuffer(parts[f"{name}.members"], np.int32)
                )
        ids, notices, version, hashed = json.loads(parts["about"])
        sources = CategoricalColumn(
            json.loads(parts["cards.sources.values"]),
            np.frombuffer(parts["cards.sources.codes"], np.int32),
        )
        offsets = np.frombuffer(parts["cards.offsets"], np.int64)
        cards = StoredCards(parts["cards"], offsets, sources)
        return cls(cards, ids, Columns(**columns), tuple(notices), version, hashed)


def _listed(key: SubjectKey) -> list[Any]:
    """A subject key in the form for JSON."""
    return [key.phrase, key.match]


def _frozen(value: Any) -> Any:
    """A value of a column, with tuples in place of the lists that JSON returns."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
