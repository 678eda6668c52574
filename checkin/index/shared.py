"""Reads a snapshot that another process keeps up to date, without looking at any model."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .build_index import RepositoryError
from .snapshot import Snapshot
from .store import Index, OtherVersion

_MAKE = "make it with personalq index FOLDER --cache {name}"


def shared_snapshot(index: Path) -> tuple[Snapshot, bytes | None]:
    """The snapshot in the index `index`, and its generation. Raises RepositoryError."""
    try:
        with Index.reading(index) as opened:
            snapshot = opened.snapshot()
            if snapshot is None:
                raise RepositoryError(_unusable(index, "its snapshot is missing or damaged"))
            return snapshot, opened.generation
    except OtherVersion:
        raise RepositoryError(_unusable(index, "another version of PersonalQ made it")) from None
    except (sqlite3.Error, OSError, ValueError, LookupError) as error:
        if isinstance(error, RepositoryError):
            raise
        why = str(error) if index.is_file() else "it is not there"
        raise RepositoryError(_unusable(index, why)) from None


def generation_of(index: Path) -> bytes | None:
    """The generation of the snapshot; None while the index cannot be read."""
    try:
        with Index.reading(index) as opened:
            return opened.generation
    except (OtherVersion, sqlite3.Error, OSError):
        return None


def _unusable(index: Path, why: str) -> str:
    return f"the index {index} cannot be used ({why}): {_MAKE.format(name=index.name)}"
