"""Lines on standard output; notices and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from ..checkin.readers.failures import shown

Progress = Callable[[int, int], None]
"""Called with how much is done, and how much there is in all."""
_WIDTH = 30
"""Width of a bar, in characters."""


def print_line(text: str) -> None:
    """Print one line. Names come from downloaded files: what steers a terminal is written out."""
    print(shown(text))


def print_notices(notices: Sequence[str]) -> None:
    """Print each notice on a line of standard error."""
    for notice in notices:
        print(f"note: {shown(notice)}", file=sys.stderr)


def print_failures(failed: Sequence[tuple[str, str]], what: str) -> None:
    """Print on standard error each model that failed, and why."""
    if failed:
        print(f"{len(failed)} could not be {what}:", file=sys.stderr)
    for name, why in failed:
        print(shown(f"- {name}: {why}"), file=sys.stderr)


def counter(unit: str = "") -> Progress | None:
    """Return a bar on one line of standard error; None where that is not a terminal."""
    if not sys.stderr.isatty():
        return None
    ending = f" {unit}" if unit else ""

    def show(done: int, total: int) -> None:
        bar = "#" * (_WIDTH * done // total)
        line = f"\r[{bar:.<{_WIDTH}}] {done} of {total}{ending}"
        print(line, end="" if done < total else "\n", file=sys.stderr, flush=True)

    return show
