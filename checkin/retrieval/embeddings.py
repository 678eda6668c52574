"""Computed embeddings, stored by model and text in one SQLite file."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np

MAX_MODELS = 4
"""How many embedding models have stored vectors; the least recently used are dropped."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS models (name TEXT PRIMARY KEY, used REAL);
CREATE TABLE IF NOT EXISTS embeddings (
    model TEXT, text BLOB, vector BLOB, PRIMARY KEY (model, text)
) WITHOUT ROWID;
"""
_MAX_VALUES = 500  # in one statement: older builds of SQLite allow 999

_T = TypeVar("_T")


class Embeddings:
    """Vectors by model and text.

    Only the hash of a text is stored. A damaged file is replaced by a new one.
    """

    def __init__(self, path: Path | None) -> None:
        """`path` is the SQLite file; with None the vectors are only in memory."""
        self._path = path
        self._lock = threading.Lock()
        self._connection = self._connect()
        self._run(lambda connection: None)

    def get(self, model: str, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors (float32), by text, of those of `texts` that are stored for `model`."""
        import numpy as np

        by_hash = {_hash(text): text for text in texts}
        hashes = list(by_hash)

        def read(connection: sqlite3.Connection) -> dict[str, np.ndarray]:
            found = {}
            for start in range(0, len(hashes), _MAX_VALUES):
                some = hashes[start : start + _MAX_VALUES]
                marks = ",".join("?" * len(some))
                select = (
                    f"SELECT text, vector FROM embeddings WHERE model = ? AND text IN ({marks})"
                )
                for text, vector in connection.execute(select, (model, *some)):
                    check, values = vector[:4], vector[4:]
                    if check == _check(values):  # else a disk returned other bytes: computed anew
                        found[by_hash[text]] = np.frombuffer(values, np.float32)
            return found

        return self._run(read)

    def put(self, model: str, vectors: Mapping[str, np.ndarray]) -> None:
        """Store these vectors of `model`, by text; models beyond MAX_MODELS are dropped."""
        import numpy as np

        rows = [
            (model, _hash(text), _check(values) + values)
            for text, vector in vectors.items()
            for values in [vector.astype(np.float32).tobytes()]
        ]
        last = "SELECT name FROM models ORDER BY used DESC LIMIT ?"

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)", rows)
                connection.execute(
                    "INSERT OR REPLACE INTO models VALUES (?, ?)", (model, time.time())
                )
                connection.execute(
                    f"DELETE FROM embeddings WHERE model NOT IN ({last})", (MAX_MODELS,)
                )
                connection.execute(f"DELETE FROM models WHERE name NOT IN ({last})", (MAX_MODELS,))

        self._run(write)

    def keep_only(self, texts: Iterable[str]) -> None:
        """Drop the vectors of all other texts, for every model."""
        keep = {_hash(text) for text in texts}

        def drop(connection: sqlite3.Connection) -> None:
            stored = connection.execute("SELECT model, text FROM embeddings").fetchall()
            with connection:
                gone = [(model, text) for model, text in stored if text not in keep]
                connection.executemany("DELETE FROM embeddings WHERE model = ? AND text = ?", gone)

        self._run(drop)

    def _run(self, action: Callable[[sqlite3.Connection], _T]) -> _T:
        with self._lock:  # a script commits what another thread has begun
            return self._run_alone(action)

    def _run_alone(self, action: Callable[[sqlite3.Connection], _T]) -> _T:
        try:
            self._connection.executescript(_SCHEMA)
            return action(self._connection)
        except sqlite3.OperationalError:  # locked, no space, read-only: the file itself is intact
            if self._path is None:
                raise
            return self._in_memory(action)
        except sqlite3.DatabaseError:
            self._connection.close()
            try:
                if self._path:
                    self._path.unlink()
            except OSError:  # read-only, or on Windows while another process has it open
                self._path = None
            self._connection = self._connect()
            self._connection.executescript(_SCHEMA)
            return action(self._connection)

    def _in_memory(self, action: Callable[[sqlite3.Connection], _T]) -> _T:
        """Do without the file from now on: vectors that cannot be stored cost no answer."""
        self._connection.close()
        self._path = None
        self._connection = self._connect()
        return self._run_alone(action)

    def _connect(self) -> sqlite3.Connection:
        if self._path:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                return sqlite3.connect(self._path, timeout=10, check_same_thread=False)
            except (OSError, sqlite3.OperationalError):
                self._path = None
        return sqlite3.connect(":memory:", check_same_thread=False)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _check(values: bytes) -> bytes:
    return zlib.crc32(values).to_bytes(4, "big")
