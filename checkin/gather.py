"""All cards of a repository: from folders of models, from a cards.jsonl, or from both."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .cards import Card
from .facts import Columns
from .folders import A_PICKLE, PICKLE_ENDINGS, Listed, list_models, look_of, models_among
from .hashes import known_hashes
from .index import FORMAT, Index, Row
from .lineage import lineage_of
from .read_models import Progress, read_models
from .readers.cards_jsonl import read_cards
from .readers.header import UnreadableFile
from .readers.model_file import Fields
from .snapshot import Snapshot, StoredCards, columns_of
from .vocabulary import facts_of


class RepositoryError(ValueError):
    """The repository cannot be opened as asked. The message says why and what to do."""


def gather(
    folders: Sequence[Path],
    cards: Path | None,
    cache: Path | None,
    progress: Progress | None = None,
    hash_files: bool = False,
) -> Snapshot:
    """Find, read and join. What a line of the cards.jsonl says of a model file goes before what the file says.

    While nothing changed since `cache` was written, it is only looked at; else the files that changed are read.
    Raises RepositoryError for a folder or a cards.jsonl that is missing or broken.
    """
    places = [_existing(folder) for folder in folders]
    content = _content(cards) if cards else b""
    with Index.open(cache) as index:
        snapshot = index.snapshot(_seen(places, content, index.beside()))
        if snapshot and (snapshot.hashed or not hash_files):
            return snapshot
        return _gathered(places, cards, content, index, progress, hash_files)


def _gathered(
    places: Sequence[str],
    cards: Path | None,
    content: bytes,
    index: Index,
    progress: Progress | None,
    hash_files: bool,
) -> Snapshot:
    notices: list[str] = []
    lines = _lines(cards, notices) if cards else []
    beside = sorted({os.path.dirname(line["path"]) for line in lines if "path" in line})
    seen = _seen(places, content, beside)
    listed = {model.path: model for place in places for model in list_models(place, notices.append)}
    listed |= {model.path: model for model in _named_files(lines, listed)}
    rows = read_models(listed.values(), index, progress)
    usable = [model for model in listed.values() if rows[model.path].usable]
    hashes = known_hashes(usable, index, progress, take=hash_files)
    for row in rows.values():
        notices += row.notices
    known = index.snapshot()
    named = {line.get("path") for line in lines}
    rest = [model for model in usable if model.path not in named]
    ids = _ids(rest, {model.path: rows[model.path].id for model in rest}, {line["id"] for line in lines})
    before = {one: place for place, one in enumerate(known.ids)} if known else {}
    made = [_joined(line, rows, hashes, index) for line in lines]
    places = [-1] * len(lines)
    for model in rest:
        path, own = model.path, ids[model.path]
        place = before.get(own, -1) if rows[path].finished and rows[path].id == own else -1
        places.append(place)
        if known and place >= 0:
            made.append(known.cards.line(place))
        else:
            made.append(_line(_record(path, rows, hashes, index) | {"id": own, "path": path}))
    stored = StoredCards.of(made)
    columns = columns_of(stored, np.array(places, np.int64), known, lambda found: Columns.of(found, facts_of))
    version = _digest(listed.values(), lines, hashes)
    all_ids = [*(line["id"] for line in lines), *ids.values()]
    snapshot = Snapshot(stored, all_ids, columns, tuple(notices), version, len(hashes) == len(usable))
    new = [(ids[model.path], model.path) for model, place in zip(rest, places[len(lines) :], strict=True) if place < 0]
    index.finish(snapshot, seen, beside, index.paths() - listed.keys(), new)
    return snapshot


def _content(cards: Path) -> bytes:
    if not cards.is_file():
        raise RepositoryError(f"{cards} does not exist: name a cards.jsonl")
    return os.fsencode(cards) + b"\0" + cards.read_bytes()


def _seen(places: Sequence[str], content: bytes, beside: Sequence[str]) -> str:
    """What tells whether anything changed."""
    return f"{look_of(places, beside)} {hashlib.blake2b(content, digest_size=16).hexdigest()}"


def _digest(listed: Iterable[Listed], lines: Sequence[Fields], hashes: Mapping[str, str]) -> str:
    """A text that differs exactly when a file that was indexed, or the list of them, does."""
    digest = hashlib.sha256(str(FORMAT).encode())
    for model in listed:
        digest.update(f"{model.path}\0{model.stamps}\0{hashes.get(model.path)}\n".encode(errors="surrogateescape"))
    digest.update(json.dumps(lines).encode())
    return digest.hexdigest()[:16]


def _existing(folder: Path) -> str:
    if not folder.exists():
        raise RepositoryError(f"{folder} does not exist: name a folder with models")
    if not folder.is_dir():
        raise RepositoryError(f"{folder} is a file, not a folder; a cards.jsonl is given as `cards`")
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
            f"{cards.name}: {len(gone)} of {len(lines)} cards name a file that is not there, first {gone[0]}"
        )
    pickles = {path for path in present if path.casefold().endswith(PICKLE_ENDINGS)}
    notices += [f"{cards.name}: {Path(path).name}: {A_PICKLE}" for path in sorted(pickles)]
    return [line for line in lines if line.get("path") not in pickles]


def _named_files(lines: Iterable[Fields], listed: Iterable[str]) -> Iterable[Listed]:
    """The model files that lines name and that were not listed yet."""
    wanted = {line["path"] for line in lines if "path" in line} - set(listed)
    folders = sorted({os.path.dirname(path) for path in wanted if os.path.isfile(path)})
    for folder in folders:
        with os.scandir(folder) as entries:
            yield from (model for model in models_among(list(entries), "", lambda said: None) if model.path in wanted)


def _joined(line: Fields, rows: Mapping[str, Row], hashes: Mapping[str, str], index: Index) -> bytes:
    """The card of a line, filled up with what its file says."""
    record = _record(line.get("path", ""), rows, hashes, index)
    sources = {name: "cards.jsonl" for name in line if name != "id"}
    return _line({**record, **line, "sources": {**record.get("sources", {}), **sources}})


def _record(path: str, rows: Mapping[str, Row], hashes: Mapping[str, str], index: Index) -> dict[str, Any]:
    """What the file says, with the hash that was taken of it, which goes before what others say it is."""
    row = rows.get(path)
    text = (row.record or (index.record(path) if row.finished else None)) if row else None
    record = json.loads(text) if text else {}
    if path in hashes:
        record |= {"sha256": hashes[path], "sources": record.get("sources", {}) | {"sha256": "file"}}
    return record


def _line(values: Mapping[str, Any]) -> bytes:
    """The finished card, as it is stored."""
    return json.dumps(_with_lineage(Card.from_dict(values)).as_dict()).encode()


def _ids(models: Sequence[Listed], given: Mapping[str, str | None], taken: set[str]) -> dict[str, str]:
    """A readable id for each model, by path: its path from the repository's folder, made unique where two are alike.

    An id that was `given` to a path before stays, so that it does not change when another file or folder is added.
    """
    ids: dict[str, str] = {}
    for model in models:
        before = given[model.path]
        if before and before not in taken:
            ids[model.path] = before
            taken.add(before)
    for model in models:
        if model.path not in ids:
            slug = re.sub(r"[^\w.]+", "-", model.relative.rpartition(".")[0].casefold()).strip("-.") or "model"
            own = slug if slug not in taken else f"{slug}-{hashlib.sha256(os.fsencode(model.path)).hexdigest()[:8]}"
            ids[model.path] = own
            taken.add(own)
    return {model.path: ids[model.path] for model in models}


def _with_lineage(card: Card) -> Card:
    if card.lineage:
        return card
    return replace(card, lineage=lineage_of(card), sources={**card.sources, "lineage": "file name"})
