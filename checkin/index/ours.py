"""Whether a file is an index of PersonalQ, which may be replaced, or somebody else's."""

from __future__ import annotations

import sqlite3
from pathlib import Path

APPLICATION = int.from_bytes(b"PQix")
"""What SQLite writes into the head of our files, so that they are known also when damaged."""
_HEAD = b"SQLite format 3\0"
_APPLICATION_AT = 68
_TABLES = {"models", "hashes", "snapshot"}


def is_index(path: Path) -> bool:
    """Whether a file is an index, also a damaged one, or becomes one: it is empty or not there.

    Raises OSError for a file that cannot be read.
    """
    if not path.exists():
        return True
    with path.open("rb") as file:
        head = file.read(100)
    if not head or head[_APPLICATION_AT:][:4] == APPLICATION.to_bytes(4):
        return True
    return head.startswith(_HEAD) and _tables(path) in (set(), _TABLES)


def tables_of(connection: sqlite3.Connection) -> list[str]:
    """The names of the tables of a database."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [name for (name,) in found.fetchall()]


def _tables(path: Path) -> set[str] | None:
    """The tables of a database; None where it cannot be read."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return set(tables_of(connection))
    except sqlite3.DatabaseError:
        return None
    finally:
        connection.close()
