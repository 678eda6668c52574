"""Notices and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

Progress = Callable[[int, int], None]
"""Is called with how much is done, and of how much."""


def print_notices(notices: Sequence[str]) -> None:
    """One line each, to standard error."""
    for notice in notices:
        print(f"note: {notice}", file=sys.stderr)


def counter(unit: str = "") -> Progress | None:
    """A counter on one line of standard error; None where no person looks at it."""
    if not sys.stderr.isatty():
        return None
    ending = f" {unit}" if unit else ""
    return lambda done, total: print(
        f"\r{done} of {total}{ending}", end="" if done < total else "\n", file=sys.stderr
    )
