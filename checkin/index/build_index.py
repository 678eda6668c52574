"""Builds the index of a repository: from folders of models, from a cards.jsonl, or from both."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..lexicon.sentences import ENGLISH, speaking
from ..readers.cards_jsonl import read_cards
from ..readers.header import UnreadableFile
from ..readers.model_file import Fields
from .damage import is_damaged
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
from .ours import is_index
from .read_models import Progress, read_models
from .snapshot import Snapshot
from .snapshot_builder import SnapshotBuilder
from .store import FORMAT, READ_AGAIN, Index, StoredModel


class RepositoryError(ValueError):
    """The repository cannot be opened as asked. The message says why and what to do."""


class UnusableIndex(RepositoryError):
    """The file that a person named for the index cannot be used."""


def build_index(
    folders: Sequence[Path],
    cards: Path | None,
    cache: Path | None,
    progress: Progress | None = None,
    hash_files: bool = False,
    leave_out: Sequence[Path] = (),
    named: bool = False,
) -> Snapshot:
    """Build the snapshot of all cards in `folders` and in the file `cards`, a cards.jsonl.

    What a line of the cards.jsonl says about a model file overrides what the file says.

    If nothing changed since `cache` was written, the snapshot in it is returned; otherwise the
    files that changed are read. A cache that is damaged is replaced by a new one, and so is one
    that another program wrote, unless a person `named` the file. Raises RepositoryError for a
    folder or a cards.jsonl that is missing or broken, and UnusableIndex for a file that was named.
    """
    build = partial(
        _build,
        [_existing(folder) for folder in folders],
        cards,
        progress=progress,
        hash_files=hash_files,
        leave_out=frozenset(map(str, leave_out)),
    )
    with speaking(ENGLISH):  # the index keeps its notices in English
        return _built(build, cache, named)


def _built(build: Callable[[Path | None], Snapshot], cache: Path | None, named: bool) -> Snapshot:
    """The snapshot, whatever is wrong with the index: it is replaced, or else left alone.

    Raises UnusableIndex where it was `named`.
    """
    if cache is None:
        return build(None)
    try:
        if named and not is_index(cache):
            raise UnusableIndex(f"{cache} is no index of PersonalQ: name another file")
        return build(cache)
    except _UNUSABLE as error:
        why: Exception = error
        if is_damaged(error):
            try:
                _delete(cache)
                return build(cache)
            except _UNUSABLE as again:  # a folder that cannot be written, a full disk
                why = again
    if named:
        raise UnusableIndex(f"{cache} cannot be used ({why}): name another file")
    logging.warning("PersonalQ: the index in %s cannot be used (%s).", cache, why)
    return build(None)


_UNUSABLE = (sqlite3.Error, UnicodeDecodeError, OverflowError, OSError)
"""What an index may raise; UnicodeDecodeError where a name in the schema is broken."""


def _delete(cache: Path) -> None:
    for ending in ("", "-journal", "-wal", "-shm"):
        cache.with_name(cache.name + ending).unlink(missing_ok=True)


def _build(
    folders: Sequence[str],
    cards: Path | None,
    cache: Path | None,
    *,
    progress: Progress | None,
    hash_files: bool,
    leave_out: frozenset[str],
) -> Snapshot:
    content = _content(cards) if cards else b""
    with Index.open(cache) as index:
        outside = index.outside()
        seen = _seen(folders, content, outside, leave_out)
        snapshot = index.snapshot(seen)
        if snapshot and (snapshot.hashed or not hash_files):
            return snapshot
        notices: list[str] = []
        lines = _lines(cards, notices) if cards else []
        named = sorted({os.path.dirname(line["path"]) for line in lines if "path" in line})
        if named != outside:
            seen = _seen(folders, content, named, leave_out)
        listed = {
            model.path: model
            for folder in folders
            for model in list_models(folder, notices.append, leave_out)
        }
        listed |= {model.path: model for model in _named_files(lines, listed)}
        rows = read_models(listed.values(), index, progress)
        usable = [model for model in listed.values() if rows[model.path].usable]
        hashes = known_hashes(usable, index, notices.append, progress, take=hash_files)
        notices += [notice for row in rows.values() for notice in row.notices]
        known = _Known(index, rows, hashes)
        snapshot, finished = _snapshot(lines, usable, known, notices)
        seen = READ_AGAIN if any(row.stamps == READ_AGAIN for row in rows.values()) else seen
        gone = index.paths() - listed.keys()
        index.finish(snapshot, seen, named, gone, finished, rows)
        return snapshot


@dataclass(frozen=True)
class _Known:
    """What is known about model files, by path."""

    index: Index
    rows: Mapping[str, StoredModel]
    hashes: Mapping[str, str]

    def record(self, path: str) -> dict[str, Any]:
        """What a file says, with the hash that was computed from it.

        That hash overrides what other sources say it is.
        """
        row = self.rows.get(path)
        record = self.index.record(path, row) if row else {}
        if path in self.hashes:
            sources = record.get("sources", {}) | {"sha256": "file"}
            record |= {"sha256": self.hashes[path], "sources": sources}
        return record

    def is_unchanged(self, path: str, card_id: str, position: int, last: Snapshot) -> bool:
        """Whether the card at `position` of the last snapshot is what the file would give now."""
        row = self.rows[path]
        hash_then = last.columns.content[position]
        return row.finished and row.id == card_id and self.hashes.get(path) in (None, hash_then)

    def version(self, lines: Sequence[Fields], models: Sequence[Listed]) -> str:
        """A text that changes exactly when an indexed file, the list of them, or an id changes."""
        digest = hashlib.sha256(str(FORMAT).encode())
        for path, row in self.rows.items():
            digest.update(f"{path}\0{row.stamps}\0{self.hashes.get(path)}\n".encode())
        digest.update(json.dumps([lines, [model.relative for model in models]]).encode())
        return digest.hexdigest()[:16]


def _snapshot(
    lines: Sequence[Fields], models: Sequence[Listed], known: _Known, notices: list[str]
) -> tuple[Snapshot, list[tuple[str, str]]]:
    """The snapshot, and (id, path) of the models whose cards were not in the last snapshot.

    There is a card for each line, completed by what its file says, and a card for each file that no
    line names.
    """
    last = known.index.snapshot()
    positions = {card_id: position for position, card_id in enumerate(last.ids)} if last else {}
    named = {line.get("path") for line in lines}
    rest = [model for model in models if model.path not in named]
    ids = _ids(rest, known.rows, {line["id"] for line in lines})
    builder = SnapshotBuilder(last, notices)
    for line in lines:
        builder.add(f"card {line['id']!r}", _joined(line, known.record(line.get("path", ""))))
    new: list[tuple[str, str]] = []
    for model in rest:
        card_id = ids[model.path]
        position = positions.get(card_id)
        if (
            last is not None
            and position is not None
            and known.is_unchanged(model.path, card_id, position, last)
        ):
            builder.reuse(position)
        elif builder.add(
            model.relative, known.record(model.path) | {"id": card_id, "path": model.path}
        ):
            new.append((card_id, model.path))
    hashed = len(known.hashes) == len(models)
    return builder.snapshot(known.version(lines, models), hashed), new


def _content(cards: Path) -> bytes:
    if not cards.is_file():
        raise RepositoryError(f"{cards} does not exist: name a cards.jsonl")
    return os.fsencode(cards) + b"\0" + cards.read_bytes()


def _seen(
    folders: Sequence[str], content: bytes, outside: Sequence[str], leave_out: frozenset[str]
) -> str:
    """A text that tells whether anything changed on disk."""
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return f"{folder_digest(folders, outside, leave_out)} {digest}"


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


def _named_files(lines: Iterable[Fields], listed: Iterable[str]) -> Iterator[Listed]:
    """The model files that lines name and that were not listed yet."""
    wanted = {line["path"] for line in lines if "path" in line} - set(listed)
    folders = sorted({os.path.dirname(path) for path in wanted if os.path.isfile(path)})
    for folder in folders:
        entries = scanned(folder)
        if not isinstance(entries, OSError):
            models = models_among(entries, "", lambda notice: None)
            yield from (model for model in models if model.path in wanted)


def _joined(line: Fields, record: Mapping[str, Any]) -> dict[str, Any]:
    """The card of a line, completed by what its file says."""
    sources = {name: "cards.jsonl" for name in line if name != "id"}
    return {**record, **line, "sources": {**record.get("sources", {}), **sources}}


def _ids(
    models: Sequence[Listed], rows: Mapping[str, StoredModel], taken: set[str]
) -> dict[str, str]:
    """A readable, unique id for each model, by path.

    It comes from the model's path below the repository's folder, and is made unique where two are
    alike. A path keeps the id that it had before, so that ids do not change when another file or
    folder is added. A new id is the same on every machine whose folders have the same names.
    `taken` holds the ids of other cards; the new ids are added to it.
    """
    ids: dict[str, str] = {}
    for model in models:
        before = rows[model.path].id
        if before and before not in taken:
            ids[model.path] = before
            taken.add(before)
    for model in models:
        if model.path not in ids:
            ids[model.path] = next(one for one in _possible_ids(model) if one not in taken)
            taken.add(ids[model.path])
    return ids


def _possible_ids(model: Listed) -> Iterator[str]:
    """Possible ids for a model, the plainest first."""
    stem = model.relative.rpartition(".")[0].casefold()
    slug = re.sub(r"[^\w.]+", "-", stem).strip("-.") or "model"
    root = re.split(r"[\\/]", model.path[: -len(model.relative)].rstrip("\\/"))[-1]
    yield slug
    for text in (f"{root}/{model.relative}", model.path):
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        yield f"{slug}-{digest[:8]}"
