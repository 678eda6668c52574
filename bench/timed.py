"""Time calls one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Result = TypeVar("Result")


def timed(runs: Sequence[Callable[[], Result]]) -> list[tuple[Result, float]]:
    """Return what each call returns, and its milliseconds.

    The first call is made once more before, so that nothing is loaded or cached while the clock
    runs.
    """
    for run in runs[:1]:
        run()
    found = []
    for run in runs:
        start = time.perf_counter()
        result = run()
        found.append((result, 1000 * (time.perf_counter() - start)))
    return found
