"""What tells that the index on disk is damaged: checksums, and errors of SQLite."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from typing import Any

_PASSING = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
}  # fmt: skip
"""SQLite's error codes that do not mean damage, such as a locked index or a full disk.

Damage may look like a file that cannot be written; one that really cannot is not replaced either.
"""


class DamagedIndex(sqlite3.DatabaseError):
    """The index contains something that PersonalQ never wrote into it."""


def is_damaged(error: Exception) -> bool:
    """Whether an error that was raised while the index was used means that it must be rebuilt."""
    if isinstance(error, OSError):
        return False
    code = getattr(error, "sqlite_errorcode", None)  # None: raised while a row was decoded
    return code is None or code & 0xFF not in _PASSING


def from_json(text: str | bytes) -> Any:
    """What a text holds. Raises DamagedIndex where it is no JSON."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        raise DamagedIndex("the index holds broken JSON") from None


def row_check(*values: object) -> int:
    """A checksum of the values of one row."""
    return zlib.crc32(repr(values).encode(errors="surrogatepass"))


def expect(check: object, *values: object) -> None:
    """Raise DamagedIndex where a row's values are not those of its checksum."""
    if check != row_check(*values):
        raise DamagedIndex("a row of the index is not as it was written")


def check_of_parts(parts: Mapping[str, bytes | memoryview]) -> bytes:
    """A checksum of a snapshot.

    SQLite has none, and a disk may return other bytes than were written.
    """
    check = 0
    for name in sorted(parts):
        check = zlib.crc32(
            parts[name], zlib.crc32(f"{name} {memoryview(parts[name]).nbytes}".encode(), check)
        )
    return check.to_bytes(4, "big")
