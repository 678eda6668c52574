"""A snapshot: all cards of a repository and their facts, in a form that loads in one read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np

from ..catalog.cards import Card
from ..catalog.columns import Array, CategoricalColumn, MultiValueColumn, row_offsets
from ..catalog.facts import Columns
from ..catalog.subject_key import Match, SubjectKey


class StoredCards(Sequence[Card]):
    """Cards as JSON in one block of bytes; a card becomes an object when it is looked up.

    100,000 cards as objects would take 0.5 GB.
    """

    def __init__(self, lines: bytes, offsets: Array) -> None:
        self.lines, self.offsets = lines, offsets

    @classmethod
    def of(cls, lines: Sequence[bytes]) -> StoredCards:
        """Join cards, given as one JSON text each."""
        return cls(b"".join(lines), row_offsets([len(line) for line in lines]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Card: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Card, ...]: ...

    def __getitem__(self, index: int | slice) -> Card | tuple[Card, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        return Card.from_dict(json.loads(self.line(range(len(self))[index])))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StoredCards):
            return self.lines == other.lines
        return (
            isinstance(other, Sequence)
            and len(self) == len(other)
            and all(map(Card.__eq__, self, other))
        )

    __hash__ = None  # type: ignore[assignment]

    def line(self, position: int) -> bytes:
        """The JSON of one card."""
        return self.lines[self.offsets[position] : self.offsets[position + 1]]

    def holding(self, text: bytes) -> Iterator[int]:
        """The positions of the cards whose JSON contains `text`."""
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
            values = [_frozen(value) for value in json.loads(parts[f"{name}.values"])]
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
        cards = StoredCards(parts["cards"], np.frombuffer(parts["cards.offsets"], np.int64))
        return cls(cards, ids, Columns(**columns), tuple(notices), version, hashed)


def _listed(key: SubjectKey) -> list[Any]:
    """A subject key in the form for JSON."""
    return [key.phrase, key.match]


def _frozen(value: Any) -> Any:
    """A value of a column, with tuples in place of the lists that JSON returns."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
