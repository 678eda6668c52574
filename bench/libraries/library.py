"""One stranger's library: the files of a models folder, and requests with their fair answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from zipfile import ZipFile

from ...checkin.catalog.file_names import low_half_of

FOLDER = Path(__file__).parent
HALVES = ("open", "sealed")
"""Half of the libraries was worked with; of the other half, only totals were ever looked at."""
Outcome = Literal["select", "clarify", "no_match"]


@dataclass(frozen=True)
class Accepted:
    """One outcome that a fair person accepts."""

    outcome: Outcome
    models: frozenset[str] = frozenset()
    """Paths: all models of a selection, or those that a question may be about."""


@dataclass(frozen=True)
class Request:
    """A request, and the outcomes that are right; the first is the best."""

    id: str
    text: str
    kind: str
    difficulty: Literal["easy", "medium", "hard"]
    accepted: tuple[Accepted, ...]


@dataclass(frozen=True)
class LibraryUse:
    """One use of a model before the moment of asking."""

    when: datetime
    path: str


@dataclass(frozen=True)
class Library:
    """The files of one models folder, and what its owner asks for."""

    name: str
    now: datetime
    files: Sequence[dict[str, Any]] = field(repr=False)
    """One description for each file; `files.write` makes the files."""
    requests: tuple[Request, ...] = field(repr=False)
    uses: tuple[LibraryUse, ...] = field(repr=False)

    def original(self, path: str) -> str:
        """The path of the file that this one is a copy of; its own path if it is none.

        Of a pair for high and low noise, it is that for low noise: a run loads one of them.
        """
        path = self._copies.get(path, path)
        return self._low_noise.get(path, path)

    @cached_property
    def _low_noise(self) -> dict[str, str]:
        loras = [one["path"] for one in self.files if one["kind"] == "lora"]
        paths = {path.casefold(): path for path in loras}
        found = {}
        for path in paths.values():
            if low := low_half_of(path):
                found[path] = paths.get(low.casefold(), path)
        return found

    @cached_property
    def _copies(self) -> dict[str, str]:
        return {one["path"]: one["same_bytes_as"] for one in self.files if one.get("same_bytes_as")}


def library_names(half: str) -> list[str]:
    """The names of the libraries of a half, sorted."""
    return sorted(path.stem for path in (FOLDER / half).glob("*.zip"))


def read_library(half: str, name: str) -> Library:
    """Read one library; its files are in a zip archive."""
    with ZipFile(FOLDER / half / f"{name}.zip") as archive:
        about = json.loads(archive.read("library.json"))
        present = archive.namelist()
        lines = {
            file: [json.loads(line) for line in archive.read(file).splitlines() if line.strip()]
            for file in ("models.jsonl", "requests.jsonl", "history.jsonl")
            if file in present
        }
    return Library(
        name,
        datetime.fromisoformat(about["now"]),
        lines["models.jsonl"],
        tuple(map(read_request, lines["requests.jsonl"])),
        tuple(
            LibraryUse(datetime.fromisoformat(use["when"]), use["model"])
            for use in lines.get("history.jsonl", ())
        ),
    )


def read_request(line: dict[str, Any]) -> Request:
    """The request of one line of a requests.jsonl."""
    accepted = tuple(
        Accepted(one["outcome"], frozenset(one.get("models") or ())) for one in line["accept"]
    )
    return Request(line["id"], line["request"], line["kind"], line["difficulty"], accepted)
