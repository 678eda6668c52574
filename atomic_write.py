"""Write files whole or not at all.

Standard library only, so that every part of the package may use it.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ENDING = ".part"
"""The ending of the name of an unfinished file."""
_WAITS = (0.05, 0.1, 0.2, 0.4)
"""Seconds between tries: a virus scanner releases a new file after a moment."""


class FileInUse(PermissionError):
    """Raised where a file cannot be replaced: it is open in another program, or write-protected.

    Only Windows refuses to replace an open file. The message says what to do.
    """


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield the name of a new file beside `path`; it replaces `path` when the block ends.

    Readers never see a half-written file, even after a crash. The permissions of the old file stay.
    Raises FileInUse where the old file cannot be replaced. After this or any error in the block,
    the old file is unchanged and the new one is deleted.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(
        f"personalq-{uuid.uuid4().hex[:12]}{ENDING}"
    )  # short: `path.name` may already be as long as names can be
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
