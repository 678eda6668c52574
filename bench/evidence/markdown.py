"""Format tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose heading is the first row."""
    rule = ["---" for _ in rows[0]]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))
