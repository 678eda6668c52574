"""Training that survives being stopped: the whole state in one file, replaced as a whole."""

from __future__ import annotations

import atexit
import os
import time
from pathlib import Path
from typing import Any

import torch

from ...atomic_write import written_whole


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write the state whole or not at all: a kill leaves the old state or the new one."""
    with written_whole(path) as part:
        torch.save(state, part)


def load_state(path: Path) -> dict[str, Any] | None:
    """None where training has not begun."""
    return torch.load(path, map_location="cpu", weights_only=True) if path.exists() else None


def trained_state(folder: Path, part: str) -> dict[str, Any]:
    """What `train_<part>` left in a run's folder.

    Raises FileNotFoundError where it has not been run.
    """
    state = load_state(folder / f"{part}.pt")
    if state is None:
        raise FileNotFoundError(f"No {part}.pt in {folder}; run train_{part} first.")
    return state


class Timer:
    """True once every so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether the time has passed since it last did."""
        if time.monotonic() - self._last < self._seconds:
            return False
        self._last = time.monotonic()
        return True


def write_pid(path: Path) -> None:
    """Write the id of this process, for whoever wants to pause it; its end removes the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{os.getpid()}\n")
    atexit.register(path.unlink, missing_ok=True)
