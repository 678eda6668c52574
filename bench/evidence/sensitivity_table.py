"""The sensitivities of rows as a table and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import intervals
from .intervals import Interval
from .kept_run import KeptRun
from .markdown import markdown
from .sensitivity import cell_key

GROUPS = (
    *("BOS", "trigger of one token", "trigger of several tokens", "other words", "end token", "padding"),
    *("whole trigger", "all padding", "all rows"),
)
"""The first six are of single rows, the others of rows together."""
SINGLE = GROUPS[:6]


@dataclass(frozen=True)
class Delta:
    """The mean over prompts of what quantizing a row of the group costs; of each prompt, the mean over its rows."""

    group: str
    bits: int
    picture: Interval
    """Mean squared error of the picture (0 to 1) against full precision's."""
    eps: Interval
    """That of the guided eps."""
    prompts: int

    def as_dict(self) -> dict[str, object]:
        return vars(self) | {"picture": self.picture.as_list(), "eps": self.eps.as_list()}


def deltas(run: KeptRun, sources: Sequence[str], prompts: int, bits: Sequence[int]) -> list[Delta]:
    """Of every group that occurs, at all `bits`."""
    found = []
    for width in bits:
        cells = [run.cells[cell_key(source, n, width)] for source in sources for n in range(prompts)]
        for group in GROUPS:
            pairs = [
                [(row["picture"], row["eps"]) for row in cell["rows"] if _group(row["group"], cell) == group]
                for cell in cells
            ]
            means = [np.mean(pair, axis=0) for pair in pairs if pair]
            if means:
                picture, eps = (intervals.mean([float(mean[part]) for mean in means]) for part in (0, 1))
                found.append(Delta(group, width, picture, eps, len(means)))
    return found


def _group(group: str, cell: dict[str, int]) -> str:
    if group != "trigger":
        return group
    return "trigger of one token" if cell["trigger rows"] == 1 else "trigger of several tokens"


def text(found: Sequence[Delta]) -> str:
    rows = [("bits", "rows that are quantized", "picture MSE", "guided eps MSE", "prompts")]
    rows += [(str(d.bits), d.group, d.picture.text(".2g"), d.eps.text(".2g"), str(d.prompts)) for d in found]
    return markdown(rows)


def plot(found: Sequence[Delta], path: Path) -> None:
    """The single rows' deltas at each number of bits, on a logarithmic scale."""
    from matplotlib.figure import Figure

    widths = list(dict.fromkeys(delta.bits for delta in found))
    figure = Figure(figsize=(3.2 * len(widths), 3.4), layout="constrained")
    for axes, width in zip(figure.subplots(1, len(widths), sharey=True, squeeze=False)[0], widths, strict=True):
        shown = [delta for delta in found if delta.bits == width and delta.group in SINGLE]
        values = [delta.picture.value for delta in shown]
        ends = [[d.picture.value - d.picture.low for d in shown], [d.picture.high - d.picture.value for d in shown]]
        axes.errorbar(values, range(len(shown)), xerr=np.maximum(ends, 0), fmt="o", color="#1d6996", capsize=3)
        axes.set_yticks(range(len(shown)), [delta.group for delta in shown])
        axes.invert_yaxis() if axes is figure.axes[0] else None
        axes.set_xscale("log")
        axes.set_title(f"{width} bits")
        axes.set_xlabel("picture MSE, one row quantized")
    figure.savefig(path, dpi=110)
