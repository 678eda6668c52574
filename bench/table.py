"""Small text tables."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[object]]) -> str:
    """Align rows of equal length in columns; the first row is the heading."""
    cells = [
        [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown_table(rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first row is the heading, and all columns but the first are figures."""
    head, *others = rows
    line = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (head, line, *others))
