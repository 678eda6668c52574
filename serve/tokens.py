"""Bearer tokens: who may ask, and how much. Only hashes are stored."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import yaml

from ..atomic_write import alone, written_whole

PREFIX = "pq_"
"""Tokens begin so: a scanner of sources finds one that slipped in."""
A_MINUTE, WAITING = 60, 20
_MINUTE = 60.0


@dataclass(frozen=True)
class Token:
    """What is stored of one token."""

    name: str
    sha256: str
    a_minute: int = A_MINUTE
    """Requests in one minute, at most."""
    waiting: int = WAITING
    """Accepted jobs that are not drawn yet, at most."""


class Tokens:
    """The tokens of a file, read again when it changes. Without tokens everybody may ask."""

    def __init__(self, file: Path):
        self.file = file
        self._seen: tuple[int, int] | None = None
        self._tokens: dict[str, Token] = {}
        self._lock = threading.Lock()

    def all(self) -> list[Token]:
        """All tokens. Raises ValueError for a file that cannot be read."""
        with self._lock:
            seen = _signature(self.file)
            if seen != self._seen:
                self._tokens = {one.sha256: one for one in _read(self.file)} if seen else {}
                self._seen = seen
            return list(self._tokens.values())

    def of(self, authorization: str) -> Token | None:
        """The token of an Authorization header; None for one that is not known."""
        kind, _, said = authorization.partition(" ")
        self.all()
        return self._tokens.get(_hash(said.strip())) if kind.casefold() == "bearer" else None

    def make(self, name: str, a_minute: int = A_MINUTE, waiting: int = WAITING) -> str:
        """Add a token and return it, the only time that it is seen.

        Raises ValueError for a name that another has.
        """
        if not name.strip() or len(name) > 100:
            raise ValueError("a token needs a name of 1 to 100 characters.")
        secret = PREFIX + secrets.token_urlsafe(32)
        with alone(self.file):
            there = self.all()
            if any(one.name == name for one in there):
                raise ValueError(
                    f"a token is named '{name}' already: take another name, or remove it first "
                    f"with --forget-token '{name}'."
                )
            self._write([*there, Token(name, _hash(secret), a_minute, waiting)])
        return secret

    def forget(self, name: str) -> None:
        """Remove a token. Raises ValueError if none has the name."""
        with alone(self.file):
            there = self.all()
            left = [one for one in there if one.name != name]
            if left == there:
                names = ", ".join(one.name for one in there) or "none"
                raise ValueError(f"no token is named '{name}'. There are: {names}.")
            self._write(left)

    def _write(self, tokens: list[Token]) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(self.file) as part:
            part.write_text(yaml.safe_dump([asdict(one) for one in tokens]), encoding="utf-8")
            part.chmod(0o600)


@dataclass
class Pace:
    """Counts requests in the last minute, for each name."""

    clock: Callable[[], float] = time.monotonic
    _times: dict[str, deque[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, name: str, most: int) -> float:
        """Count one request: 0 if it may go on, else in how many seconds it may come again."""
        now = self.clock()
        with self._lock:
            times = self._times.setdefault(name, deque())
            while times and times[0] <= now - _MINUTE:
                times.popleft()
            if len(times) >= most:
                return times[0] + _MINUTE - now if times else _MINUTE
            times.append(now)
        return 0.0


def _hash(secret: str) -> str:
    # A token is 256 random bits, so that a slow hash for passwords would add nothing.
    return hashlib.sha256(secret.encode()).hexdigest()


def _signature(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size


def _read(file: Path) -> list[Token]:
    try:
        return [Token(**one) for one in yaml.safe_load(file.read_text(encoding="utf-8")) or ()]
    except (yaml.YAMLError, TypeError) as error:
        raise ValueError(
            f"{file.name} cannot be read ({error}): remove it, and make the tokens again with "
            "personalq serve --new-token NAME."
        ) from None
