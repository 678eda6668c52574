"""A large library: the files of all open libraries, again and again, each time of another owner."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .files import write
from .library import library_names, read_library

_HASH = re.compile(r"\b[0-9a-fA-F]{64}\b")
_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]


def write_many(folder: Path, count: int) -> None:
    """Write `count` model files below `folder`, with the headers and sidecars of the libraries.

    Of 100 files 95 are checkpoints and LoRAs; the others are of kinds that have no card.
    """
    write(list(itertools.islice(_lines(), count)), folder)


def requests() -> list[str]:
    """The requests of all open libraries, those of each library in turn."""
    asked = [read_library("open", name).requests for name in library_names("open")]
    return [one.text for together in zip(*asked, strict=True) for one in together]


def _lines() -> Iterator[dict[str, Any]]:
    lines = [
        (name, line) for name in library_names("open") for line in read_library("open", name).files
    ]
    for owner in itertools.count():
        for name, line in lines:
            yield _of_owner(line, name, _word(owner))


def _of_owner(line: dict[str, Any], library: str, owner: str) -> dict[str, Any]:
    """The line of one owner's file: its name begins with the owner, and its hashes are others."""
    text = _HASH.sub(
        lambda found: hashlib.sha256(f"{owner}{found[0]}".encode()).hexdigest(), json.dumps(line)
    )
    own = json.loads(text)
    for key in ("path", "same_bytes_as"):
        if own.get(key):
            place, _, name = own[key].rpartition("/")
            own[key] = f"{library}/{owner}/{place}/{owner}_{name}"
    return own


def _word(number: int) -> str:
    """A made-up word, another one for each number."""
    first, second = divmod(number, len(_SYLLABLES))
    return f"{_SYLLABLES[first % len(_SYLLABLES)]}{_SYLLABLES[second]}x"
