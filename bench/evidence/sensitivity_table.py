"""The sensitivities of the text's tokens as a table and a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import intervals
from .intervals import Interval
from .markdown import markdown
from .resumable_run import Measurement, ResumableRun
from .sensitivity import measurement_key

GROUPS = (
    *(
        "BOS",
        "trigger of one token",
        "trigger of several tokens",
        "other words",
        "end token",
        "padding",
    ),
    *("whole trigger", "all padding", "all rows"),
)
"""The first six groups are of single tokens, the others of several tokens together."""
SINGLE = GROUPS[:6]
_ROWS = ("BOS", "trigger", "other words", "end token", "padding")
_SHOWN_BITS = 4
_COLOUR, _TRIGGER_COLOUR = "#1d6996", "#cc503e"


@dataclass(frozen=True)
class Delta:
    """The error from quantizing a token of the group: the mean over prompts.

    For each prompt, it is the mean over the group's tokens.
    """

    group: str
    bits: int
    picture: Interval
    """Mean squared error of the picture (0 to 1) against full precision's."""
    eps: Interval
    """Mean squared error of the guided eps."""
    times: Interval
    """`eps` as a multiple of the error for another word of the same prompts."""
    prompts: int
    drops: Mapping[str, Interval]
    """Metric of the judge -> how much less it is than in full precision, such as CLIPScore."""

    def as_dict(self) -> dict[str, object]:
        """Return the delta as stored in results, with intervals as lists."""
        lists = {name: getattr(self, name).as_list() for name in ("picture", "eps", "times")}
        drops = {name: drop.as_list() for name, drop in self.drops.items()}
        return vars(self) | lists | {"drops": drops}


def deltas(
    run: ResumableRun, sources: Sequence[str], prompts: int, bits: Sequence[int]
) -> list[Delta]:
    """Return the delta of every group that occurs, at all `bits`."""
    found = []
    for width in bits:
        measured = [
            run.measurements[measurement_key(source, n, width)]
            for source in sources
            for n in range(prompts)
        ]
        for group in GROUPS:
            those = [one for one in measured if _costs(one, group, "eps")]
            if those:
                picture, eps = (
                    [float(np.mean(_costs(c, group, what))) for c in those]
                    for what in ("picture", "eps")
                )
                times = intervals.ratio(
                    eps, [float(np.mean(_costs(one, "other words", "eps"))) for one in those]
                )
                found.append(
                    Delta(
                        group,
                        width,
                        intervals.mean(picture),
                        intervals.mean(eps),
                        times,
                        len(those),
                        _drops(those, group),
                    )
                )
    return found


def _drops(measured: Sequence[Measurement], group: str) -> dict[str, Interval]:
    """Return the mean drop of each metric over prompts, each the mean over the group's tokens."""
    of_prompts = [
        [row["drops"] for row in one["rows"] if _group(row["group"], one) == group]
        for one in measured
    ]
    labels = dict.fromkeys(label for rows in of_prompts for row in rows for label in row)
    return {
        label: intervals.mean([float(np.mean([row[label] for row in rows])) for rows in of_prompts])
        for label in labels
    }


def _costs(measurement: Measurement, group: str, what: str) -> list[float]:
    return [row[what] for row in measurement["rows"] if _group(row["group"], measurement) == group]


def _group(group: str, measurement: Measurement) -> str:
    if group != "trigger":
        return group
    return (
        "trigger of one token" if measurement["trigger rows"] == 1 else "trigger of several tokens"
    )


def text(found: Sequence[Delta]) -> str:
    """Return a Markdown table."""
    labels = list(dict.fromkeys(label for delta in found for label in delta.drops))
    rows: list[tuple[str, ...]] = [
        (
            "bits",
            "rows that are quantized",
            "picture MSE",
            "guided eps MSE",
            "x another word",
            *(f"drop of {label}" for label in labels),
            "prompts",
        )
    ]
    for delta in found:
        metrics = [metric.text(".2g") for metric in (delta.picture, delta.eps, delta.times)]
        drops = [delta.drops[label].text(".2g") for label in labels]
        rows.append((str(delta.bits), delta.group, *metrics, *drops, str(delta.prompts)))
    return markdown(rows)


def first_prompts(
    run: ResumableRun, sources: Sequence[str], bits: Sequence[int]
) -> dict[str, Measurement]:
    """Return each source's measurement of the first prompt.

    It is at 4 bits if that was measured, else at the first of `bits`.
    """
    width = _SHOWN_BITS if _SHOWN_BITS in bits else bits[0]
    return {
        f"{source}, {width} bits": run.measurements[measurement_key(source, 0, width)]
        for source in sources
    }


def plot(found: Sequence[Delta], prompts: Mapping[str, Measurement], path: Path) -> None:
    """Plot the deltas on logarithmic scales.

    Above: those of single tokens at each number of bits. Below: token by token in one prompt of
    each model (the paper's Fig. 2).
    """
    from matplotlib.figure import Figure

    widths = list(dict.fromkeys(delta.bits for delta in found))
    figure = Figure(figsize=(max(3.2 * len(widths), 2.8 * len(prompts)), 7), layout="constrained")
    above, below = figure.subfigures(2, 1, squeeze=False)[:, 0]
    for axes, width in zip(
        above.subplots(1, len(widths), sharey=True, squeeze=False)[0], widths, strict=True
    ):
        shown = [delta for delta in found if delta.bits == width and delta.group in SINGLE]
        values = [delta.picture.value for delta in shown]
        ends = [
            [d.picture.value - d.picture.low for d in shown],
            [d.picture.high - d.picture.value for d in shown],
        ]
        axes.errorbar(
            values, range(len(shown)), xerr=np.maximum(ends, 0), fmt="o", color=_COLOUR, capsize=3
        )
        axes.set_yticks(range(len(shown)), [delta.group for delta in shown])
        axes.invert_yaxis() if axes is above.axes[0] else None
        axes.set_xscale("log")
        axes.set_title(f"{width} bits")
        axes.set_xlabel("picture MSE, one row quantized")
    for axes, (name, measurement) in zip(
        below.subplots(1, len(prompts), sharey=True, squeeze=False)[0], prompts.items(), strict=True
    ):
        rows = [row for row in measurement["rows"] if row["group"] in _ROWS]
        colours = [_TRIGGER_COLOUR if row["group"] == "trigger" else _COLOUR for row in rows]
        axes.bar(range(len(rows)), [row["picture"] for row in rows], color=colours)
        axes.set_xticks(
            range(len(rows)),
            [f"{row['group']} {row['rows'][0]}" for row in rows],
            rotation=90,
            fontsize=6,
        )
        axes.set_yscale("log")
        axes.set_title(name.split("__")[-1], fontsize=8)
    below.axes[0].set_ylabel("picture MSE")
    figure.savefig(path, dpi=110)
