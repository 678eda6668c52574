"""Resumable training: the whole state is in one file, which is replaced as a whole."""

from __future__ import annotations

import atexit
import os
import time
from pathlib import Path
from typing import Any

import torch

from ...atomic_write import written_whole


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write the state as a whole: after a kill, the file holds the old or the new state."""
    with written_whole(path) as part:
        torch.save(state, part)


def load_state(path: Path) -> dict[str, Any] | None:
    """Load the state; None where training has not begun."""
    return torch.load(path, map_location="cpu", weights_only=True) if path.exists() else None


def trained_state(folder: Path, part: str) -> dict[str, Any]:
    """Load the state that `train_<part>` stored in a run's folder.

    Raises FileNotFoundError where it has not been run.
    """
    state = load_state(folder / f"{part}.pt")
    if state is None:
        raise FileNotFoundError(f"No {part}.pt in {folder}; run train_{part} first.")
    return state


class Timer:
    """Tells when a number of seconds has passed, again and again."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether that time has passed since this last returned True, or since the start."""
        if time.monotonic() - self._last < self._seconds:
            return False
        self._last = time.monotonic()
        return True


def write_pid(path: Path) -> None:
    """Write the id of this process, by which it can be paused; the file is removed at its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{os.getpid()}\n")
    atexit.register(path.unlink, missing_ok=True)
