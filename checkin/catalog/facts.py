"""Facts: the values that requests are compared with, for one card and for all cards in columns."""

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
from .bearers import joined
from .cards import Card
from .columns import Array, CategoricalColumn, ColumnBuilder, MultiValueColumn
from .copied import times_of_copies
from .file_names import low_half_of
from .origins import completed
from .read_names import lineages_as_read
from .subject_key import Match, SubjectKey, subject_keys

TRUSTED_HASH_SOURCES = ("file", "cards.jsonl", "")
"""Sources whose hash is trusted. A sidecar is not: it may have been copied from another model."""
STATES = ("finished", "unfinished", "rejected")
"""Whether a model is to be used: a finished build, one saved during training, one that is no good.
"""
DESCRIBED_BY = ("cards.jsonl", "sidecar", "")
"""Sources of what a person wrote for Check-in; "" is a card made in memory."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FILE_TIME = "file time"
"""The source of a date that is the file's own time."""
NO_DATE = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Facts:
    """The values of one card that requests are compared with."""

    subjects: frozenset[SubjectKey]
    styles: frozenset[Phrase]
    words: frozenset[str]
    identity: frozenset[str]
    """Words that say what the model is: of its name, title, triggers, subjects."""
    kinds: frozenset[str]
    """What its identity, or what most training pictures show, is a kind of, in one word."""
    tags: frozenset[str]
    """Words of its tags, styles and folders."""
    captions: frozenset[str]
    """Words of captions and tags of its training pictures."""
    called: tuple[str, ...]
    """What its file is called, without version and base model, in singulars."""
    bearers: frozenset[str]
    """Keys of whom or what it is of, equal for models that are called in two ways (bearers.py)."""
    labels: frozenset[str]
    """Which build it is: "v2b", "final2", "epoch6" (file_names.py)."""
    state: str
    """One of STATES."""
    look: bool
    """Whether it is a style rather than a subject."""
    origin: str | None
    folder: str
    """Its folders in the library, as words."""
    names: frozenset[str]
    """Names by which a request can mean exactly this card."""
    lineage: tuple[object, ...]
    """The key of what the card is a build of."""
    lineage_styles: frozenset[Phrase]
    """The styles that tell builds of one lineage apart; empty where none is known."""
    number: tuple[int, ...]
    """The version as numbers, (1, 10) for "v1.10"; empty without a version."""
    display_subjects: tuple[str, ...]
    """The subjects, as shown to people."""


@dataclass(frozen=True)
class Columns:
    """The facts of all cards, and fields of the cards that requests often need."""

    subjects: MultiValueColumn
    styles: MultiValueColumn
    words: MultiValueColumn
    identity: MultiValueColumn
    kinds: MultiValueColumn
    tags: MultiValueColumn
    captions: MultiValueColumn
    bearers: MultiValueColumn
    labels: MultiValueColumn
    names: MultiValueColumn
    called: CategoricalColumn
    state: CategoricalColumn
    look: CategoricalColumn
    origin: CategoricalColumn
    number: CategoricalColumn
    display_subjects: CategoricalColumn
    raw_subjects: CategoricalColumn
    """The subjects as written in the cards."""
    raw_styles: CategoricalColumn
    """The styles as written in the cards."""
    version: CategoricalColumn
    kind: CategoricalColumn
    base_model: CategoricalColumn
    triggered: CategoricalColumn
    """Whether the card has a trigger."""
    described: CategoricalColumn
    """Whether a person wrote the card's subjects or styles for Check-in."""
    content: CategoricalColumn
    """SHA-256 of the file; None where it is not known for sure."""
    created_us: Array
    """int64 [cards]: microseconds since 1970; NO_DATE where the date is not known."""
    of_file: Array
    """int64 [cards]: 1 where the date is that of the file, which a copy may have changed."""
    lineage_hash: Array
    """int64 [cards]: equal for builds of the same subject, in whatever style."""
    style_hash: Array
    """int64 [cards]: equal for the same styles; 0 where none is known."""
    folder_hash: Array
    """int64 [cards]: equal for files of the same folder."""

    @classmethod
    def of(cls, cards: Iterable[Card], facts_of: Callable[[Card], Facts]) -> Columns:
        """The columns of some cards, in their order."""
        builder = ColumnsBuilder()
        for card in cards:
            builder.add(card, facts_of(card))
        return builder.columns()

    def joined(self, places: Array, others: Columns, order: Array) -> Columns:
        """The columns of the cards at `places` and of those of `others`, put in `order`.

        `order`, int [all of them], holds positions in the sequence of both.
        """
        columns: dict[str, Any] = {}
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(others, field.name)
            if isinstance(mine, np.ndarray):
                columns[field.name] = np.concatenate([mine[places], theirs])[order]
            else:
                columns[field.name] = (mine.take(places) + theirs).take(order).compact()
        return Columns(**columns)

    def shows_any(self, keys: Iterable[Phrase | SubjectKey]) -> Array:
        """Bool [cards]: whether the card has one of these phrases as a style or kind of subject."""
        subjects = {key for key in keys if isinstance(key, SubjectKey)}
        phrases = {key for key in keys if not isinstance(key, SubjectKey)}
        phrases |= {key.phrase for key in subjects if key.match is Match.KIND}
        return self.styles.any_of(phrases) | self.subjects.any_of(subjects | subject_keys(phrases))

    @cached_property
    def lineage(self) -> Array:
        """int64 [cards]: equal for builds of the same subject in the same style.

        A build without a known style joins the others where all of those have the same style.
        """
        hashes = joined(lineages_as_read(self), self.bearers, self.called, self.base_model.codes)
        _, groups = np.unique(hashes, return_inverse=True)
        known = self.style_hash != 0
        bounds = np.iinfo(np.int64)
        least = np.full(len(groups), bounds.max)
        most = np.full(len(groups), bounds.min)
        np.minimum.at(least, groups[known], self.style_hash[known])
        np.maximum.at(most, groups[known], self.style_hash[known])
        several = least[groups] < most[groups]
        return hashes ^ np.where(several, self.style_hash, 0)

    @cached_property
    def trained(self) -> Array:
        """Bool [cards]: whether the user trained the model, as far as is known."""
        return self._made_by[0]

    @cached_property
    def downloaded(self) -> Array:
        """Bool [cards]: whether the model was downloaded, as far as is known."""
        return self._made_by[1]

    @cached_property
    def _made_by(self) -> tuple[Array, Array]:
        return completed(self.origin, self.lineage, self.folder_hash)

    @cached_property
    def number_rank(self) -> Array:
        """int64 [cards]: ranks by version; cards without a version have the lowest rank."""
        values = self.number.values
        ranks = np.empty(len(values), np.int64)
        ranks[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
        return ranks[self.number.codes]

    @cached_property
    def order(self) -> Array:
        """int64 [cards]: ranks by date, then by version; the newest card has the highest rank.

        Cards with the same date and version have the same rank. Versions of a lineage whose files
        are of one hour count as of one date: they may have been copied in any order.
        """
        versions = self.numbered & (self.of_file == 1) & self.dated
        copied = times_of_copies(self.created_us, versions, (self.lineage, self.state_code))
        keys = (self.created_us, self.number_rank, copied)
        places = np.lexsort(keys)
        steps = np.any([np.diff(key[places]) != 0 for key in keys], axis=0)
        order = np.zeros(len(places), np.int64)
        order[places[1:]] = np.cumsum(steps)
        return order

    @cached_property
    def noise_pairs(self) -> tuple[Array, Array]:
        """(int [pairs], int [pairs]): LoRAs for high noise, and that for low noise beside each."""
        loras = self.kind.where(lambda kind: kind == "lora")
        found = []
        for high in (name for name in self.names.values if "high" in name):
            if low := low_half_of(high):
                pair = [*self.names.cards_of(high), *self.names.cards_of(low)]
                if len(pair) == 2 and loras[pair].all():
                    found.append(pair)
        pairs = np.array(found, np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    @cached_property
    def state_code(self) -> Array:
        """Int [cards]: the position of each card's state in STATES."""
        return np.array([STATES.index(one) for one in self.state.values], np.int8)[self.state.codes]

    @cached_property
    def everyone(self) -> Array:
        """Int [cards]: a different number for each card."""
        return np.arange(len(self.created_us))

    @cached_property
    def dated(self) -> Array:
        """Bool [cards]: whether the card's date is known."""
        return self.created_us != NO_DATE

    @cached_property
    def numbered(self) -> Array:
        """Bool [cards]: whether the card has a version."""
        return self.number.where(bool)

    @cached_property
    def pure_style(self) -> Array:
        """Bool [cards]: whether the card has a style and no subject: a style for any subject."""
        return self.styles.filled & ~self.subjects.filled

    @cached_property
    def personal(self) -> Array:
        """Bool [cards]: whether a request can mean the card.

        A plain base model cannot be meant: it has no trigger, no subject and no style.
        """
        return self.triggered.where(bool) | self.subjects.filled | self.styles.filled


_FROM_FACTS_SETS = (
    "subjects",
    "styles",
    "words",
    "identity",
    "kinds",
    "tags",
    "captions",
    "bearers",
    "labels",
    "names",
)
_FROM_FACTS = ("called", "state", "look", "origin", "number", "display_subjects")
_FROM_CARD = ("version", "kind", "base_model")
_ARRAYS = ("created_us", "of_file", "lineage_hash", "style_hash", "folder_hash")


class ColumnsBuilder:
    """Columns of facts, filled card by card."""

    def __init__(self) -> None:
        self._sets = {name: ColumnBuilder() for name in _FROM_FACTS_SETS}
        names = (
            *_FROM_FACTS,
            *_FROM_CARD,
            "raw_subjects",
            "raw_styles",
            "triggered",
            "described",
            "content",
        )
        self._values = {name: ColumnBuilder() for name in names}
        self._arrays = {name: array("q") for name in _ARRAYS}

    def add(self, card: Card, facts: Facts) -> None:
        """Append the next card."""
        for name, column in self._sets.items():
            column.add(*getattr(facts, name))
        values, arrays = self._values, self._arrays
        for name in _FROM_FACTS:
            values[name].add(getattr(facts, name))
        for name in _FROM_CARD:
            values[name].add(getattr(card, name))
        trusted = card.sources.get("sha256", "") in TRUSTED_HASH_SOURCES
        values["raw_subjects"].add(card.subjects)
        values["raw_styles"].add(card.styles)
        values["triggered"].add(bool(card.triggers))
        values["described"].add(is_described(card))
        values["content"].add(card.sha256 if trusted else None)
        styles = facts.lineage_styles
        arrays["created_us"].append(microseconds(card.created_at))
        arrays["of_file"].append(card.sources.get("created_at") == FILE_TIME)
        arrays["lineage_hash"].append(_hash_of(facts.lineage))
        arrays["style_hash"].append(_hash_of((styles,)) if styles else 0)
        arrays["folder_hash"].append(_hash_of((facts.folder,)))

    def columns(self) -> Columns:
        """The columns of all cards that were added."""
        columns: dict[str, Any] = {name: column.sets() for name, column in self._sets.items()}
        columns |= {name: column.codes() for name, column in self._values.items()}
        columns |= {name: np.array(values, np.int64) for name, values in self._arrays.items()}
        return Columns(**columns)


def is_described(card: Card) -> bool:
    """Whether a person wrote the card's subjects or styles for Check-in."""
    return any(
        getattr(card, name) and card.sources.get(name, "") in DESCRIBED_BY
        for name in ("subjects", "styles")
    )


def microseconds(moment: datetime | None) -> int:
    """Microseconds since 1970, as in `Columns.created_us`; NO_DATE for None."""
    return (moment - EPOCH) // timedelta(microseconds=1) if moment else int(NO_DATE)


def _hash_of(parts: tuple[object, ...]) -> int:
    """A hash of 64 bits, the same in every process."""
    text = repr([sorted(part) if isinstance(part, frozenset) else part for part in parts])
    return int.from_bytes(
        blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "big", signed=True
    )
