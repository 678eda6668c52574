"""Reads the model files that changed since the last time, and the files next to them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..catalog.cards import Card
from ..lexicon.sentences import say
from ..readers import READERS
from ..readers.failures import lasting, reason
from ..readers.header import UnreadableFile, read_header
from ..readers.merge import merge
from ..readers.model_file import Fields, ModelFile
from .folders import Listed, models_among
from .store import READ_AGAIN, Index, StoredModel

Progress = Callable[[int, int], None]
"""Called with (model files done, model files in all)."""
_SAVED_EVERY = 2.0
"""Seconds between two saves."""


def read_models(
    models: Collection[Listed], index: Index, progress: Progress | None = None
) -> dict[str, StoredModel]:
    """What is known about the models, by path; models that changed are read again.

    A model counts as changed if the size or time of its file, or of a sidecar or preview next to
    it, changed. Results are saved every few seconds, so that an interrupted scan resumes where it
    stopped.
    """
    known = index.rows()
    rows: dict[str, StoredModel] = {}
    unsaved: list[tuple[str, StoredModel]] = []
    saved = time.monotonic()
    try:
        for done, model in enumerate(models, 1):
            row = known.get(model.path)
            if row is None or row.stamps != str(model.stamps):
                row = replace(read_model(model), id=row.id if row else None)
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


def read_model(listed: Listed) -> StoredModel:
    """What one model file and the files next to it say; never raises, whatever they contain.

    A sidecar, or a part of the header, that cannot be used is left out. If the model's own file
    cannot be used, the model is left out. A notice says why.
    """
    log = _Log(listed.relative.rpartition("/")[0])
    name = os.path.basename(listed.path)
    try:
        record = _merged(_opened(listed), log)
        if "kind" not in record:
            raise UnreadableFile(
                say(
                    "neither checkpoint nor LoRA; if it is one, say `kind: lora` in its "
                    ".personalq.yaml"
                )
            )
        text = json.dumps(record)
    except Exception as error:
        log.left_out(name, error)
        text = None
    return StoredModel(
        str(listed.stamps) if log.lasting else READ_AGAIN,
        text,
        tuple(dict.fromkeys(log.notices)),
    )


@dataclass
class _Log:
    """The notices about one model while it is read."""

    folder: str
    """The model's folder, relative to the repository's folder."""
    notices: list[str] = field(default_factory=list)
    lasting: bool = True
    """Whether reading the same files again would give the same result."""

    def say(self, file: str, said: str) -> None:
        self.notices.append(f"{self.folder}/{file}: {said}" if self.folder else f"{file}: {said}")

    def failed(self, file: str, error: Exception) -> None:
        self.say(file, reason(error))
        self.lasting &= lasting(error)

    def left_out(self, file: str, error: Exception) -> None:
        self.say(file, say("left out: {why}", why=reason(error)))
        self.lasting &= lasting(error)


def _opened(listed: Listed) -> ModelFile:
    path = Path(listed.path)
    return ModelFile(
        path,
        read_header(path),
        modified=listed.stamps[0][2] / 1e9,
        sidecars={ending: Path(place) for ending, place in listed.sidecars.items()},
        previews=tuple(Path(picture) for picture in listed.previews),
    )


def card_of_file(path: str) -> Card | None:
    """The card of one model file, read now and without a repository.

    None for a file that is not a usable model.
    """
    folder, name = os.path.split(path)
    with os.scandir(folder) as entries:
        found = {
            os.path.basename(one.path): one
            for one in models_among(list(entries), "", lambda said: None)
        }
    row = read_model(found[name]) if name in found else None
    return (
        Card.from_dict(json.loads(row.record) | {"id": name, "path": path})
        if row and row.record
        else None
    )


def _merged(model: ModelFile, log: _Log) -> dict[str, Any]:
    found: dict[str, Fields] = {}
    origin = {}
    for reader in READERS:
        beside = [model.sidecars[ending] for ending in reader.endings if ending in model.sidecars]
        if reader.endings and not beside:
            continue
        file = beside[0] if beside else model.path
        origin[reader.name] = file.name
        try:
            found[reader.name] = reader.read(model, partial(log.say, file.name))
        except Exception as error:
            log.failed(file.name, error)
    merged = merge(found, lambda name, said: log.say(origin[name], said))
    sources = {reader.name: reader.source for reader in READERS}
    return merged.values | {"sources": {key: sources[name] for key, name in merged.readers.items()}}
