"""Model files, read with all that lies beside them: those that changed since the last time."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

from .cards import Card
from .folders import Listed, models_among
from .index import Index, Row
from .readers import READERS
from .readers.fields import merge
from .readers.header import UnreadableFile, read_header
from .readers.model_file import Fields, ModelFile

Progress = Callable[[int, int], None]
"""Called with (model files done, model files in all)."""
_SAVED_EVERY = 2.0
"""Seconds."""


def read_models(models: Collection[Listed], index: Index, progress: Progress | None = None) -> dict[str, Row]:
    """What is known of the models, by path; those that changed since they were read are read again.

    A file counts as changed when its size or time, or those of a sidecar or preview beside it, did. What was read is
    saved as it goes: a scan that is interrupted goes on where it stopped.
    """
    known = index.rows()
    rows: dict[str, Row] = {}
    unsaved: list[tuple[str, Row]] = []
    saved = time.monotonic()
    try:
        for done, model in enumerate(models, 1):
            stamps, row = str(model.stamps), known.get(model.path)
            if row is None or row.stamps != stamps:
                record, notices = read_model(model)
                row = Row(stamps, json.dumps(record) if record else None, tuple(notices), row.id if row else None)
                unsaved.append((model.path, row))
            rows[model.path] = row
            if unsaved and time.monotonic() - saved > _SAVED_EVERY:
                index.save(unsaved)
                unsaved, saved = [], time.monotonic()
            if progress:
                progress(done, len(models))
    finally:
        index.save(unsaved)
    return rows


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


def card_of_file(path: str) -> Card | None:
    """The card of one model file, read now, with nothing of a repository; None for what is no model of ours."""
    folder, name = os.path.split(path)
    with os.scandir(folder) as entries:
        found = {os.path.basename(one.path): one for one in models_among(list(entries), "", lambda said: None)}
    record = read_model(found[name])[0] if name in found else None
    return Card.from_dict(record | {"id": name, "path": path}) if record else None


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
