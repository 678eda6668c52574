"""Draw a plot of stacked horizontal bars."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

Part = tuple[str, str, Sequence[float]]
"""Name, colour, and the share of each bar that the part has; the shares of a bar sum up to 1."""


def stacked_bars(names: Sequence[str], parts: Sequence[Part], unit: str, path: Path) -> None:
    """Draw one bar for each name, from top to bottom; its parts follow each other from the left."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.42 * len(names) + 1.2), layout="constrained")
    axes = figure.add_subplot()
    ends = [0.0] * len(names)
    for label, colour, shares in parts:
        axes.barh(names, shares, left=ends, color=colour, label=label)
        ends = [end + share for end, share in zip(ends, shares, strict=True)]
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"share of {unit}")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=110)
