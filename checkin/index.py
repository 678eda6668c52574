"""The index: what is known of every model file, read once and read again only when a file changed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .folders import Listed
from .readers import READERS
from .readers.fields import merge
from .readers.header import UnreadableFile, read_header
from .readers.model_file import Fields, ModelFile

FORMAT = "personalq index 2"
"""Raise the number when a reader learns something, so that old caches are read again."""

Progress = Callable[[int, int], None]
"""Called with (model files done, model files in all)."""


@dataclass(frozen=True)
class Entry:
    """What reading one model file gave."""

    listed: Listed
    record: dict[str, Any] | None
    """A card as JSON-ready values, without id and path; None when the file is no model that can be used."""
    notices: tuple[str, ...]


def read_models(models: Iterable[Listed], cache: Path | None, progress: Progress | None = None) -> list[Entry]:
    """Read the model files that changed since `cache` was written; take the others from it.

    A file counts as changed when its size or time, or those of a sidecar or preview beside it, did. The cache is one
    JSON file, replaced in one step; one that is broken or was written by something else is rebuilt.
    """
    listed = list(models)
    known = _load(cache)
    kept: dict[str, Any] = {}
    entries = []
    for done, model in enumerate(listed, 1):
        stamps = [list(stamp) for stamp in model.stamps]
        cached = known.get(model.path)
        if cached is None or cached["stamps"] != stamps:
            record, notices = read_model(model)
            cached = {"stamps": stamps, "record": record, "notices": notices}
        kept[model.path] = cached
        entries.append(Entry(model, cached["record"], tuple(cached["notices"])))
        if progress:
            progress(done, len(listed))
    if cache and kept != known:
        replace_file(cache, json.dumps({"format": FORMAT, "models": kept}).encode())
    return entries


def read_model(listed: Listed) -> tuple[dict[str, Any] | None, list[str]]:
    """(record, notices) of one model file."""
    notices: list[str] = []
    folder = listed.relative.rpartition("/")[0]

    def notice(name: str, said: str) -> None:
        notices.append(f"{folder}/{name}: {said}" if folder else f"{name}: {said}")

    path = Path(listed.path)
    try:
        header = read_header(path)
    except UnreadableFile as error:
        notice(path.name, f"left out: {error}")
        return None, notices
    except OSError as error:
        notice(path.name, f"left out: cannot be read ({error.strerror})")
        return None, notices
    model = ModelFile(
        path,
        header,
        modified=listed.stamps[0][2] / 1e9,
        sidecars={ending: Path(place) for ending, place in listed.sidecars.items()},
        previews=tuple(Path(picture) for picture in listed.previews),
    )
    record = _merged(model, notice)
    if "kind" not in record:
        notice(
            path.name, "left out: neither checkpoint nor LoRA; if it is one, say `kind: lora` in its .personalq.yaml"
        )
        return None, notices
    return record, notices


def _merged(model: ModelFile, notice: Callable[[str, str], None]) -> dict[str, Any]:
    found: dict[str, Fields] = {}
    origin = {}
    for reader in READERS:
        beside = [model.sidecars[ending] for ending in reader.endings if ending in model.sidecars]
        if reader.endings and not beside:
            continue
        file = beside[0] if beside else model.path
        origin[reader.name] = file.name
        try:
            found[reader.name] = reader.read(model, partial(notice, file.name))
        except ValueError as error:
            notice(file.name, str(error))
        except OSError as error:
            notice(file.name, f"cannot be read ({error.strerror})")
    merged = merge(found, lambda name, said: notice(origin[name], said))
    sources = {reader.name: reader.source for reader in READERS}
    return merged.values | {"sources": {field: sources[name] for field, name in merged.readers.items()}}


def _load(cache: Path | None) -> dict[str, Any]:
    if cache is None or not cache.is_file():
        return {}
    try:
        stored = json.loads(cache.read_bytes())
        models = stored["models"] if stored["format"] == FORMAT else {}
        return {path: entry for path, entry in models.items() if {"stamps", "record", "notices"} <= entry.keys()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def replace_file(path: Path, data: bytes) -> None:
    """Write `path` in one step, so that no reader and no crash ever meets half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, suffix=".part", delete=False) as file:
        file.write(data)
    os.replace(file.name, path)
