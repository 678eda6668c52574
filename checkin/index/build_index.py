"""All cards of a repository: from folders of models, from a cards.jsonl, or from both."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..readers.cards_jsonl import read_cards
from ..readers.failures import shown
from ..readers.header import UnreadableFile
from ..readers.model_file import Fields
from .folders import (
    A_PICKLE,
    PICKLE_ENDINGS,
    Listed,
    folder_digest,
    list_models,
    models_among,
    scanned,
)
from .hashes import known_hashes
from .read_models import Progress, read_models
from .snapshot import Snapshot, StoredCards, columns_of
from .snapshot_builder import MadeCards
from .store import FORMAT, READ_AGAIN, Index, Row, is_damaged


class RepositoryError(ValueError):
    """The repository cannot be opened as asked. The message says why and what to do."""


def gather(
    folders: Sequence[Path],
    cards: Path | None,
    cache: Path | None,
    progress: Progress | None = None,
    hash_files: bool = False,
    leave_out: Sequence[Path] = (),
) -> Snapshot:
    """Find, read and join.

    What a line of the cards.jsonl says of a model file goes before what the file says.

    While nothing changed since `cache` was written, it is only looked at; else the files that
    changed are read. A cache that is broken or was written by something else is made anew. Raises
    RepositoryError for a folder or a cards.jsonl that is missing or broken.
    """
    places = [_existing(folder) for folder in folders]
    closed = frozenset(map(str, leave_out))
    try:
        return _gathered(places, cards, cache, progress, hash_files, closed)
    except (
        sqlite3.DatabaseError,
        UnicodeDecodeError,
    ) as error:  # the latter where a name in the schema is broken
        if cache is None or not is_damaged(error):
            raise
        try:
            cache.unlink()
        except PermissionError:  # on Windows, while another process has it open
            cache = None
        return _gathered(places, cards, cache, progress, hash_files, closed)


def _gathered(
    places: Sequence[str],
    cards: Path | None,
    cache: Path | None,
    progress: Progress | None,
    hash_files: bool,
    leave_out: frozenset[str],
) -> Snapshot:
    content = _content(cards) if cards else b""
    with Index.open(cache) as index:
        beside = index.beside()
        seen = _seen(places, content, beside, leave_out)
        snapshot = index.snapshot(seen)
        if snapshot and (snapshot.hashed or not hash_files):
            return snapshot
        notices: list[str] = []
        lines = _lines(cards, notices) if cards else []
        named = sorted({os.path.dirname(line["path"]) for line in lines if "path" in line})
        if named != beside:
            seen = _seen(places, content, named, leave_out)
        listed = {
            model.path: model
            for place in places
            for model in list_models(place, notices.append, leave_out)
        }
        listed |= {model.path: model for model in _named_files(lines, listed)}
        rows = read_models(listed.values(), index, progress)
        usable = [model for model in listed.values() if rows[model.path].usable]
        hashes = known_hashes(usable, index, notices.append, progress, take=hash_files)
        notices += [notice for row in rows.values() for notice in row.notices]
        records = _Records(index, rows, hashes)
        snapshot, finished = _finished(
            lines, usable, records, notices, _digest(rows, lines, hashes)
        )
        seen = READ_AGAIN if any(row.stamps == READ_AGAIN for row in rows.values()) else seen
        index.finish(snapshot, seen, named, index.paths() - listed.keys(), finished)
        return snapshot


@dataclass(frozen=True)
class _Records:
    """What is known of model files, by path."""

    index: Index
    rows: Mapping[str, Row]
    hashes: Mapping[str, str]

    def of(self, path: str) -> dict[str, Any]:
        """What a file says, with the hash that was taken of it, which goes before what others say
        it is.
        """
        row = self.rows.get(path)
        record = self.index.record(path, row) if row else {}
        if path in self.hashes:
            record |= {
                "sha256": self.hashes[path],
                "sources": record.get("sources", {}) | {"sha256": "file"},
            }
        return record


def _finished(
    lines: Sequence[Fields],
    models: Sequence[Listed],
    records: _Records,
    notices: list[str],
    version: str,
) -> tuple[Snapshot, list[tuple[str, str]]]:
    """The snapshot, and (id, path) of the models whose cards were not in the last one.

    There is a card for each line, filled up with what its file says, and one for each file that no
    line names.
    """
    known = records.index.snapshot()
    before = {one: place for place, one in enumerate(known.ids)} if known else {}
    named = {line.get("path") for line in lines}
    rest = [model for model in models if model.path not in named]
    ids = _ids(rest, records.rows, {line["id"] for line in lines})
    made = MadeCards(notices)
    for line in lines:
        made.add(f"card {line['id']!r}", _joined(line, records.of(line.get("path", ""))))
    new: list[tuple[str, str]] = []
    for model in rest:
        one, row = ids[model.path], records.rows[model.path]
        place = before.get(one, -1) if row.finished and row.id == one else -1
        if (
            known
            and place >= 0
            and records.hashes.get(model.path) in (None, known.columns.content[place])
        ):
            made.keep(one, known.cards.line(place), place)
        elif made.add(model.relative, records.of(model.path) | {"id": one, "path": model.path}):
            new.append((one, model.path))
    columns = columns_of(np.array(made.places, np.int64), known, made.facts.columns())
    cards, said = StoredCards.of(made.lines), tuple(map(shown, notices))
    return (
        Snapshot(cards, made.ids, columns, said, version, len(records.hashes) == len(models)),
        new,
    )


def _content(cards: Path) -> bytes:
    if not cards.is_file():
        raise RepositoryError(f"{cards} does not exist: name a cards.jsonl")
    return os.fsencode(cards) + b"\0" + cards.read_bytes()


def _seen(
    places: Sequence[str], content: bytes, beside: Sequence[str], leave_out: frozenset[str]
) -> str:
    """What tells whether anything changed."""
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return f"{folder_digest(places, beside, leave_out)} {digest}"


def _digest(rows: Mapping[str, Row], lines: Sequence[Fields], hashes: Mapping[str, str]) -> str:
    """A text that differs exactly when a file that was indexed, or the list of them, does."""
    digest = hashlib.sha256(str(FORMAT).encode())
    for path, row in rows.items():
        digest.update(f"{path}\0{row.stamps}\0{hashes.get(path)}\n".encode())
    digest.update(json.dumps(lines).encode())
    return digest.hexdigest()[:16]


def _existing(folder: Path) -> str:
    if not folder.exists():
        raise RepositoryError(f"{folder} does not exist: name a folder with models")
    if not folder.is_dir():
        raise RepositoryError(
            f"{folder} is a file, not a folder; a cards.jsonl is given as `cards`"
        )
    return str(folder)


def _lines(cards: Path, notices: list[str]) -> list[Fields]:
    """The cards in the cards.jsonl, without those whose model is a pickle."""
    try:
        lines = read_cards(cards, notices.append)
    except UnreadableFile as error:
        raise RepositoryError(str(error)) from None
    present = {line["path"] for line in lines if "path" in line and os.path.isfile(line["path"])}
    gone = [line["path"] for line in lines if "path" in line and line["path"] not in present]
    if gone:
        notices.append(
            f"{cards.name}: {len(gone)} of {len(lines)} cards name a file that is not there, first "
            f"{gone[0]}"
        )
    pickles = {path for path in present if path.casefold().endswith(PICKLE_ENDINGS)}
    notices += [f"{cards.name}: {Path(path).name}: {A_PICKLE}" for path in sorted(pickles)]
    return [line for line in lines if line.get("path") not in pickles]


def _named_files(lines: Iterable[Fields], listed: Iterable[str]) -> Iterable[Listed]:
    """The model files that lines name and that were not listed yet."""
    wanted = {line["path"] for line in lines if "path" in line} - set(listed)
    folders = sorted({os.path.dirname(path) for path in wanted if os.path.isfile(path)})
    for folder in folders:
        entries = scanned(folder)
        if not isinstance(entries, OSError):
            yield from (
                model
                for model in models_among(entries, "", lambda said: None)
                if model.path in wanted
            )


def _joined(line: Fields, record: Mapping[str, Any]) -> dict[str, Any]:
    """The card of a line, filled up with what its file says."""
    sources = {name: "cards.jsonl" for name in line if name != "id"}
    return {**record, **line, "sources": {**record.get("sources", {}), **sources}}


def _ids(models: Sequence[Listed], rows: Mapping[str, Row], taken: set[str]) -> dict[str, str]:
    """A readable id for each model, by path: its path from the repository's folder, made unique
    where two are alike.

    An id that a path had before stays, so that it does not change when another file or folder is
    added. A new one is the same on every machine where the folders are called the same.
    """
    ids: dict[str, str] = {}
    for model in models:
        before = rows[model.path].id
        if before and before not in taken:
            ids[model.path] = before
            taken.add(before)
    for model in models:
        if model.path not in ids:
            slug = (
                re.sub(r"[^\w.]+", "-", model.relative.rpartition(".")[0].casefold()).strip("-.")
                or "model"
            )
            root = re.split(r"[\\/]", model.path[: -len(model.relative)].rstrip("\\/"))[-1]
            told_apart = (
                f"{slug}-{_digits(text)}" for text in (f"{root}/{model.relative}", model.path)
            )
            own = slug if slug not in taken else next(one for one in told_apart if one not in taken)
            ids[model.path] = own
            taken.add(own)
    return ids


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
