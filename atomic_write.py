"""Files that are written whole or not at all.

Standard library only; every room of the house may use it.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ENDING = ".part"
"""Of what is not finished."""
_WAITS = (0.05, 0.1, 0.2, 0.4)
"""Seconds between tries: a virus scanner lets go of a new file after a moment."""


class FileInUse(PermissionError):
    """A file that another program has open, which Windows lets nobody replace.

    The message says what to do.
    """


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """The name of a new file beside `path`, to be written in the block; at its end it takes the
    place of `path`.

    Neither a reader nor a crash ever meets half a file. The rights of the old file stay. Raises
    FileInUse where the old file cannot be replaced; then, as after any error in the block, it is as
    it was and the new one is gone.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(
        f"personalq-{uuid.uuid4().hex[:12]}{ENDING}"
    )  # short: `path.name` may be as long as can be
    try:
        yield part
        if os.name == "posix" and path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        _replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file as `written_whole` does. Raises OSError."""
    with written_whole(path) as part:
        part.write_bytes(data)


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
