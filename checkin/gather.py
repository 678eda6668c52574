"""All cards of a repository: from folders of models, from a cards.jsonl, or from both."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .cards import Card
from .folders import A_PICKLE, PICKLE_ENDINGS, Listed, list_models, models_among
from .index import FORMAT, Entry, Progress, read_models
from .lineage import lineage_of
from .readers.cards_jsonl import read_cards
from .readers.header import UnreadableFile
from .readers.model_file import Fields


class RepositoryError(ValueError):
    """The repository cannot be opened as asked. The message says why and what to do."""


@dataclass(frozen=True)
class Gathered:
    """What was found."""

    cards: tuple[Card, ...]
    notices: tuple[str, ...]
    evidence: Any
    """JSON-ready; differs exactly when a file that was indexed, or the list of them, does."""


def gather(folders: Sequence[Path], cards: Path | None, cache: Path | None, progress: Progress | None) -> Gathered:
    """Find, read and join. What a line of the cards.jsonl says of a model file goes before what the file says.

    Raises RepositoryError for a folder or a cards.jsonl that is missing or broken.
    """
    notices: list[str] = []
    lines = _lines(cards, notices) if cards else []
    listed = {model.path: model for folder in folders for model in list_models(_existing(folder), notices.append)}
    listed |= {model.path: model for model in _named_files(lines, listed)}
    entries = read_models(listed.values(), cache, progress)
    for entry in entries:
        notices += entry.notices
    evidence = [FORMAT, [(entry.listed.path, entry.listed.stamps) for entry in entries], lines]
    return Gathered(tuple(_cards(entries, lines)), tuple(notices), evidence)


def _existing(folder: Path) -> str:
    if not folder.exists():
        raise RepositoryError(f"{folder} does not exist: name a folder with models")
    if not folder.is_dir():
        raise RepositoryError(f"{folder} is a file, not a folder; a cards.jsonl is given as `cards`")
    return str(folder)


def _lines(cards: Path, notices: list[str]) -> list[Fields]:
    """The cards in the cards.jsonl, without those whose model is a pickle."""
    if not cards.is_file():
        raise RepositoryError(f"{cards} does not exist: name a cards.jsonl")
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


def _cards(entries: Sequence[Entry], lines: Sequence[Fields]) -> list[Card]:
    """One card per line, filled up with what its file says, and one per file that no line names."""
    read = {entry.listed.path: entry for entry in entries if entry.record is not None}
    joined = [_joined(line, read.get(line.get("path", ""))) for line in lines]
    named = {line.get("path") for line in lines}
    rest = [entry for path, entry in read.items() if path not in named]
    ids = _ids(rest, taken={line["id"] for line in lines})
    joined += [{**(entry.record or {}), "id": ids[entry.listed.path], "path": entry.listed.path} for entry in rest]
    return [_with_lineage(Card.from_dict(values)) for values in joined]


def _joined(line: Fields, entry: Entry | None) -> dict[str, Any]:
    record = entry.record if entry and entry.record else {}
    sources = {name: "cards.jsonl" for name in line if name != "id"}
    return {**record, **line, "sources": {**record.get("sources", {}), **sources}}


def _ids(entries: Sequence[Entry], taken: set[str]) -> dict[str, str]:
    """A readable id for each model, by path: its path from the repository's folder, made unique where two are alike."""
    ids: dict[str, str] = {}
    for entry in entries:
        path = entry.listed.path
        slug = re.sub(r"[^\w.]+", "-", entry.listed.relative.rpartition(".")[0].casefold()).strip("-.") or "model"
        ids[path] = slug if slug not in taken else f"{slug}-{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"
        taken.add(ids[path])
    return ids


def _with_lineage(card: Card) -> Card:
    if card.lineage:
        return card
    return replace(card, lineage=lineage_of(card), sources={**card.sources, "lineage": "file name"})
