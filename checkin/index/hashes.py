"""Content hashes of model files, each computed once."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from pathlib import Path

from ..lexicon.sentences import say
from ..readers.failures import reason
from .folders import Listed
from .read_models import Progress
from .store import Index

_COPY = re.compile(
    r"(?:[ _-]*\(\d+\)|[ _-]+\(?(?:copy|kopie|kopia|kopi|kopio|kopya|copie|copia|másolat|コピー"
    r"|副本|拷贝|拷貝|복사본)\)?(?:[ _-]*\(?\d+\)?)?)+$"
)
"""What the name of a copy ends with."""
_MOST_READ = 2 << 30
"""Bytes of files that one scan reads for it, the smallest first; the next ones at the next scan."""


def known_hashes(
    models: Sequence[Listed],
    index: Index,
    notice: Callable[[str], None],
    progress: Progress | None = None,
    take: bool = False,
) -> dict[str, str]:
    """The SHA-256 of model files, by path; with `take`, missing ones are computed, else only those
    of files that look like copies of each other.

    A hash is valid while the file's size and time stay the same. Each hash is saved as soon as it
    is computed, so that an interrupted run resumes where it stopped. A file that cannot be read has
    no hash, and `notice` is called.
    """
    stored = index.hashes()
    stamps = {model.path: str(model.stamps[0]) for model in models}
    found = {
        path: stored[path][1]
        for path, stamp in stamps.items()
        if path in stored and stored[path][0] == stamp
    }
    copies = set[str]() if take else _copies(models, found)
    for done, model in enumerate(models, 1):
        if model.path not in found and (take or model.path in copies):
            try:
                sha256 = _digest(model.path)
            except OSError as error:
                said = say("not hashed: {why}", why=reason(error))
                notice(f"{model.relative}: {said}")
            else:
                found[model.path] = sha256
                index.save_hash(model.path, stamps[model.path], sha256)
        if take and progress:
            progress(done, len(models))
    return found


def _copies(models: Sequence[Listed], known: Container[str]) -> set[str]:
    """The paths of files of one size and name, but for what a copy's name says: "bear (1)", as far
    as they may be read in one scan; those whose hash is `known` need not be.
    """
    alike = defaultdict[tuple[int, str], list[str]](list)
    for model in models:
        name, size, _ = model.stamps[0]
        alike[size, _COPY.sub("", Path(name).stem.casefold())].append(model.path)
    found = set[str]()
    left = _MOST_READ
    for (size, _), paths in sorted(alike.items()):
        new = [path for path in paths if path not in known]
        left -= size * len(new) if len(paths) > 1 else 0
        if len(paths) > 1 and left >= 0:
            found.update(new)
    return found


def hash_file(path: str, cache: Path) -> str:
    """Compute the SHA-256 of one model file, and save it in the index in `cache`.

    The next scan puts it into the model's card. Raises OSError.
    """
    stamp, sha256 = stamped_hash(path)
    save_hash(path, stamp, sha256, cache)
    return sha256


def stamped_hash(path: str) -> tuple[str, str]:
    """(stamp, SHA-256) of one model file. Raises OSError."""
    stat = os.stat(path)
    stamp = (os.path.basename(path), stat.st_size, stat.st_mtime_ns)
    return str(stamp), _digest(path)


def save_hash(path: str, stamp: str, sha256: str, cache: Path) -> None:
    """Save the hash of one model file in the index in `cache`. Raises OSError."""
    try:
        with Index.open(cache) as index:
            index.save_hash(path, stamp, sha256)
    except sqlite3.Error as error:
        raise OSError(None, str(error)) from error


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
