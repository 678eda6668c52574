"""The file that a user names for a result."""

from __future__ import annotations

from pathlib import Path


def make_ready(file: Path | None) -> None:
    """Make the file and its folder, so that what cannot be written is said before the measurement.

    What the file holds stays.
    """
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("a", encoding="utf-8").close()
