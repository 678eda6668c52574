"""The progress bar of a node."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from comfy.utils import ProgressBar

_EVERY = 0.1
"""Seconds between two moves, which all pages are told of."""


def progress_bar(node_id: str | None = None) -> Callable[[int, int], None]:
    """A callback `(done, total)` that moves the node's progress bar, and ends an interrupted run.

    It may be called very often.
    """
    bar, moved = ProgressBar(1, node_id=node_id), -math.inf

    def move(done: int, total: int) -> None:
        nonlocal moved
        if done == total or time.monotonic() - moved > _EVERY:
            moved = time.monotonic()
            bar.update_absolute(done, total)

    return move
