"""The index on disk: what was read from every model file, and the last snapshot of all cards."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .damage import check_of_parts, expect, from_json, row_check
from .ours import APPLICATION, tables_of
from .snapshot import Snapshot

FORMAT = 23
"""Version of what readers find. Raise it when they read more or other fields from the same files.

Indexes of other versions are emptied, and all files are read again.
"""
FACTS_VERSION = 64
"""Version of cards, facts and snapshots. Raise it when the same records give other ones.

That is so for changed rules in catalog/ or lineage.py, changed words in lexicon/, and a changed
form of snapshots. Snapshots of other versions are dropped and built again, without reading a file.
"""
_WAIT = 60.0
"""Seconds to wait for another process that is writing."""
READ_AGAIN = ""
"""The stamps of a file that could not be read for a reason that may pass.

Such a file is read again at every start.
"""
_GENERATION = "generation"
"""Name of the row of `snapshot` that every change of snapshots and hashes makes another."""
_FACTS = "facts version"
"""Name of the row of `snapshot` that holds the FACTS_VERSION."""
_SCHEMA = """
CREATE TABLE models (
    path TEXT PRIMARY KEY, stamps TEXT, record TEXT, notices TEXT, id TEXT, finished INTEGER,
    record_check INTEGER, row_check INTEGER
);
CREATE TABLE hashes (path TEXT PRIMARY KEY, stamp TEXT, sha256 TEXT, row_check INTEGER);
CREATE TABLE snapshot (name TEXT PRIMARY KEY, content BLOB);
"""


class OtherVersion(Exception):
    """The index was made by another version of this package."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """What the index knows about one model file."""

    stamps: str
    record: str | None
    """A card as JSON, without id and path.

    None for a file that is not a usable model, and in a finished row, whose record is not loaded.
    """
    notices: tuple[str, ...]
    id: str | None = None
    finished: bool = False
    """Whether the card with this id in the last snapshot was made from exactly this record."""

    @property
    def usable(self) -> bool:
        """Whether the file is a model that can be used."""
        return self.record is not None or self.finished


class Index:
    """A SQLite database, in a file or in memory. Several processes may use one file at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._began: bytes | None = None
        """The generation at the start; what was read since then fits together while it stays."""

    @classmethod
    @contextmanager
    def open(cls, path: Path | None) -> Iterator[Index]:
        """Open the index in that file, or in memory for None.

        A missing file is created; an index of another format is emptied. Raises
        sqlite3.DatabaseError, here or later, for a file that is damaged or is not an index.
        """
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
        index = cls(_connected(path))
        try:
            index._began = index._part(_GENERATION)
            yield index
        finally:
            index._connection.close()

    @classmethod
    @contextmanager
    def reading(cls, path: Path) -> Iterator[Index]:
        """Open an index that another process makes, without changing it.

        Raises OtherVersion for one of another version, sqlite3.DatabaseError as `open` does.
        """
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", _WAIT, uri=True)
        try:
            index = cls(connection)
            facts = index._part(_FACTS) if _version(connection) == FORMAT else None
            if facts != str(FACTS_VERSION).encode():
                raise OtherVersion
            index._began = index._part(_GENERATION)
            yield index
        finally:
            connection.close()

    @property
    def generation(self) -> bytes | None:
        """Bytes that are others after every change of the snapshot."""
        return self._began

    def rows(self) -> dict[str, StoredModel]:
        """All rows, by path; finished rows come without their records, which `record` reads."""
        found = self._connection.execute(
            "SELECT path, stamps, CASE WHEN finished THEN NULL ELSE record END, notices, id, "
            "finished, record_check, row_check FROM models"
        )
        rows = {}
        for path, stamps, record, notices, one, finished, record_check, check in found:
            expect(check, path, stamps, notices, one, finished)
            if not finished:
                expect(record_check, record)
            said = tuple(from_json(notices)) if notices != "[]" else ()
            rows[path] = StoredModel(stamps, record, said, one, bool(finished))
        return rows

    def paths(self) -> set[str]:
        """The paths of all rows."""
        return {path for (path,) in self._connection.execute("SELECT path FROM models")}

    def record(self, path: str, row: StoredModel) -> dict[str, Any]:
        """The record of one row, parsed; {} if there is none."""
        text = row.record
        if row.finished:
            found = self._connection.execute(
                "SELECT record, record_check FROM models WHERE path = ?", (path,)
            ).fetchone()
            if found:
                expect(found[1], found[0])
            text = found[0] if found else None
        return from_json(text) if text else {}

    def save(self, rows: Iterable[tuple[str, StoredModel]]) -> None:
        """Store what was read of files."""
        values = [
            (path, row.stamps, row.record, notices, row.id, row_check(row.record),
             row_check(path, row.stamps, notices, row.id, 0))
            for path, row in rows
            for notices in [json.dumps(row.notices)]
        ]  # fmt: skip
        if values:
            with self._connection:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO models VALUES (?, ?, ?, ?, ?, 0, ?, ?)", values
                )

    def hashes(self) -> dict[str, tuple[str, str]]:
        """Path -> (stamp of the file when it was hashed, SHA-256)."""
        found = {}
        rows = self._connection.execute("SELECT path, stamp, sha256, row_check FROM hashes")
        for path, stamp, sha256, check in rows:
            expect(check, path, stamp, sha256)
            found[path] = (stamp, sha256)
        return found

    def save_hash(self, path: str, stamp: str, sha256: str) -> None:
        """Store the hash of a file, with the file's stamp at that time.

        The stored snapshot is then out of date.
        """
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO hashes VALUES (?, ?, ?, ?)",
                (path, stamp, sha256, row_check(path, stamp, sha256)),
            )
            self._unfinish([path])
            self._connection.execute("DELETE FROM snapshot WHERE name = 'seen'")
            generation = secrets.token_bytes(8)
            if self._part(_GENERATION) == self._began:
                self._began = generation
            self._connection.execute(
                "INSERT OR REPLACE INTO snapshot VALUES (?, ?)", (_GENERATION, generation)
            )

    def finish(
        self,
        snapshot: Snapshot,
        seen: str,
        outside: Sequence[str],
        gone: Iterable[str],
        finished: Iterable[tuple[str, str]],
        used: Mapping[str, StoredModel],
    ) -> None:
        """Store a snapshot, unless another process has stored one since the index was opened.

        The cards that were reused may then be older than those of that other snapshot.

        - `seen`: the digest of the folders at that time.
        - `outside`: as `outside()` returns it.
        - `gone`: the paths of models that are no longer there. Their hashes stay: each has the
          stamp of its file, and a disk that is mounted again must not be read whole.
        - `finished`: (id, path) of new cards.
        - `used`: the rows that the snapshot was made from. Where another process has read a file
          anew since then, the row is not finished: its card is made again at the next start.
        """
        parts = dict(snapshot.parts())
        parts |= {
            "check": check_of_parts(parts),
            _GENERATION: secrets.token_bytes(8),
            "seen": seen.encode(),
            "outside": json.dumps(outside).encode(),
        }
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            if self._part(_GENERATION) != self._began:
                return
            for path in gone:
                self._connection.execute("DELETE FROM models WHERE path = ?", (path,))
            self._unfinish(
                path
                for path, stamps in self._connection.execute(
                    "SELECT path, stamps FROM models WHERE finished"
                ).fetchall()
                if path not in used or used[path].stamps != stamps
            )
            for card_id, path in finished:
                stamps, notices = used[path].stamps, json.dumps(used[path].notices)
                self._connection.execute(
                    "UPDATE models SET id = ?, finished = 1, row_check = ? "
                    "WHERE path = ? AND stamps = ?",
                    (card_id, row_check(path, stamps, notices, card_id, 1), path, stamps),
                )
            self._connection.executemany(
                "INSERT OR REPLACE INTO snapshot VALUES (?, ?)", parts.items()
            )

    def _unfinish(self, paths: Iterable[str]) -> None:
        """Have the cards of some files made again at the next start."""
        for path in paths:
            row = self._connection.execute(
                "SELECT path, stamps, notices, id FROM models WHERE path = ?", (path,)
            ).fetchone()
            if row:
                self._connection.execute(
                    "UPDATE models SET finished = 0, row_check = ? WHERE path = ?",
                    (row_check(*row, 0), path),
                )

    def outside(self) -> list[str]:
        """The folders, outside the repository's own, that contain models of the last snapshot."""
        found = self._part("outside")
        return from_json(found) if found else []

    def snapshot(self, seen: str | None = None) -> Snapshot | None:
        """The last snapshot, if it was stored with this `seen`; None if it was not or is damaged.

        Without `seen`, the last snapshot in any case, unless it is damaged.
        """
        if seen is not None and self._part("seen") != seen.encode():
            return None
        sound = "typeof(name) = 'text' AND typeof(content) = 'blob'"
        parts = dict(self._connection.execute(f"SELECT name, content FROM snapshot WHERE {sound}"))
        check = parts.pop("check", None)
        for other in ("seen", "outside", _FACTS, _GENERATION):
            parts.pop(other, None)
        return Snapshot.from_parts(parts) if parts and check == check_of_parts(parts) else None

    def _part(self, name: str) -> bytes | None:
        row = self._connection.execute(
            "SELECT content FROM snapshot WHERE name = ?", (name,)
        ).fetchone()
        return row[0] if row else None


def _connected(path: Path | None) -> sqlite3.Connection:
    """A connection to the index; content of another format or facts version is dropped."""
    connection = sqlite3.connect(path or ":memory:", timeout=_WAIT)
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE") if _version(connection) != FORMAT else None
            if _version(connection) != FORMAT:
                for table in tables_of(connection):
                    connection.execute(f'DROP TABLE "{table}"')
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
            _drop_other_facts(connection)
    except Exception:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def _drop_other_facts(connection: sqlite3.Connection) -> None:
    """Drop the snapshot, with its cards and facts, if it is of another FACTS_VERSION."""
    version = str(FACTS_VERSION).encode()
    row = connection.execute("SELECT content FROM snapshot WHERE name = ?", (_FACTS,)).fetchone()
    if row is None or row[0] != version:
        Index(connection)._unfinish(
            [path for (path,) in connection.execute("SELECT path FROM models WHERE finished")]
        )
        connection.execute("DELETE FROM snapshot")
        connection.execute("INSERT INTO snapshot VALUES (?, ?)", (_FACTS, version))
