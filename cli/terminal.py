"""Notices and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

Progress = Callable[[int, int], None]
"""Called with how much is done, and how much there is in all."""


def print_notices(notices: Sequence[str]) -> None:
    """Print each notice on a line of standard error."""
    for notice in notices:
        print(f"note: {notice}", file=sys.stderr)


def counter(unit: str = "") -> Progress | None:
    """Return a counter on one line of standard error; None where that is not a terminal."""
    if not sys.stderr.isatty():
        return None
    ending = f" {unit}" if unit else ""
    return lambda done, total: print(
        f"\r{done} of {total}{ending}", end="" if done < total else "\n", file=sys.stderr
    )
