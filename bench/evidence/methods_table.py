"""Rows of methods as a table and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .judge import SHARES
from .markdown import markdown
from .summary import MethodRow

FORMS = {
    "PSNR": ".1f",
    "PSNR gain": "+.2f",
    "SSIM": ".3f",
    "LPIPS": ".3f",
    "DINO": ".3f",
    "CLIPScore": ".1f",
}
"""Format of a metric; shares have two decimals, all others three digits."""
PLOTTED = ("PSNR", "PSNR gain", "SSIM", "eps guided", "trigger", "CLIPScore", "DINO")


def text(rows: Sequence[MethodRow]) -> str:
    """Return a Markdown table with one line per row; a metric that a row lacks is left empty."""
    labels = list(dict.fromkeys(label for row in (*rows[1:], *rows[:1]) for label in row.metrics))
    lines = [("", *labels, "MB", "K/V kB", "G BOPs", "exact rows", "pictures", "s")]
    for row in rows:
        metrics = [
            row.metrics[label].text(_form(label)) if label in row.metrics else ""
            for label in labels
        ]
        lines.append(
            (
                row.name,
                *metrics,
                f"{row.bytes / 1e6:.2f}",
                f"{row.key_value_bytes / 1e3:.0f}",
                f"{row.bops / 1e9:.1f}",
                f"{row.exact_rows:.1f}",
                str(row.pictures),
                f"{row.seconds:.0f}",
            )
        )
    return markdown(lines)


def _form(label: str) -> str:
    return ".2f" if label in SHARES else FORMS.get(label, ".3g")


def plot(rows: Sequence[MethodRow], path: Path) -> None:
    """Draw a panel for each main metric, with a point and its interval for each row."""
    from matplotlib.figure import Figure

    labels = [label for label in PLOTTED if any(label in row.metrics for row in rows)]
    figure = Figure(figsize=(2.4 + 2.3 * len(labels), 0.22 * len(rows) + 1.2), layout="constrained")
    for axes, label in zip(
        figure.subplots(1, len(labels), sharey=True, squeeze=False)[0], labels, strict=True
    ):
        have = [
            (place, row.metrics[label]) for place, row in enumerate(rows) if label in row.metrics
        ]
        values = [found.value for _, found in have]
        ends = [[f.value - f.low for _, f in have], [f.high - f.value for _, f in have]]
        axes.errorbar(
            values, [p for p, _ in have], xerr=np.maximum(ends, 0), fmt="o", ms=4, color="#1d6996"
        )
        axes.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=8)
        axes.set_xlabel(label)
        axes.grid(axis="x", alpha=0.3)
    figure.axes[0].invert_yaxis()
    figure.savefig(path, dpi=110)
