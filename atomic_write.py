"""Write files whole or not at all, and change them one after another.

Standard library only, so that every part of the package may use it.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

ENDING = ".part"
"""The ending of the name of an unfinished file."""
_WAITS = (0.05, 0.1, 0.2, 0.4)
"""Seconds between tries: a virus scanner releases a new file after a moment."""


_LEFT_OVER = 3600.0
"""Seconds without a change after which an unfinished file is of a process that was killed."""
_swept: set[str] = set()
"""Folders in which this process has looked for such files."""
_held = threading.local()


class FileInUse(PermissionError):
    """Raised where a file cannot be replaced: it is open in another program, or write-protected.

    Only Windows refuses to replace an open file. The message says what to do.
    """


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield the name of a new file beside `path`; it replaces `path` when the block ends.

    Readers never see a half-written file, even after a crash. The permissions of the old file stay.
    Raises FileInUse where the old file cannot be replaced. After this or any error in the block,
    the old file is unchanged and the new one is deleted. What a killed process left is swept.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    part = path.with_name(
        f"personalq-{uuid.uuid4().hex[:12]}{ENDING}"
    )  # short: `path.name` may already be as long as names can be
    try:
        yield part
        _flush(part)
        if os.name == "posix" and path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        _replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file as `written_whole` does. Raises OSError."""
    with written_whole(path) as part:
        part.write_bytes(data)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Have the file `path` to oneself: other threads and processes that ask for it wait.

    For a change that reads a file and writes it again. Locks are in the system's folder for
    temporary files, none beside the file. Where there can be no lock, nobody waits.
    """
    name = hashlib.sha256(os.path.realpath(path).encode(errors="surrogatepass")).hexdigest()[:32]
    mine: set[str] = _held.__dict__.setdefault("names", set())
    if name in mine:  # taken further out, by the same thread
        yield
        return
    lock = _opened_lock(name)
    mine.add(name)
    try:
        yield
    finally:
        mine.discard(name)
        if lock:
            lock.close()  # which releases it, as the end of the process does


def _opened_lock(name: str) -> IO[bytes] | None:
    owner = 0
    if os.name == "posix":
        owner = os.getuid()
    folder = os.path.join(tempfile.gettempdir(), f"personalq-locks-{owner}")
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        if os.lstat(folder).st_uid != owner:
            return None  # another user's, who could lead us elsewhere
        lock = open(os.path.join(folder, name), "ab")  # noqa: SIM115
    except OSError:
        return None
    try:
        _wait_for(lock)
    except OSError:  # a file system without locks
        lock.close()
        return None
    return lock


def _wait_for(lock: IO[bytes]) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
        return
    import msvcrt

    while True:
        with suppress(OSError):
            lock.seek(0)
            msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
            return


def sweep(folder: Path) -> None:
    """Delete unfinished files of killed processes in a folder, once for each process."""
    if str(folder) in _swept:
        return
    _swept.add(str(folder))
    with suppress(OSError):
        for left in folder.glob(f"personalq-*{ENDING}"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _LEFT_OVER:
                    left.unlink()


def _flush(part: Path) -> None:
    """Have the system write the file to the disk before it gets its name."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())


def _replace(part: Path, path: Path) -> None:
    for wait in (*_WAITS, None):
        try:
            os.replace(part, path)
            return
        except PermissionError as error:
            if wait is None:
                raise FileInUse(
                    f"{path.name} is open in another program, or write-protected: close it there "
                    "and try again; it was left as it is"
                ) from error
            time.sleep(wait)
