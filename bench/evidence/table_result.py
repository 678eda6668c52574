"""The result of one table, with the notes that explain its metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .resumable_run import ResumableRun

NOTES = (
    "Precision is simulated: values of the stated bits, computed in float32. In brackets: 95 % "
    "intervals over pictures (bootstrap), for shares Wilson's. PSNR, SSIM, Fréchet and the errors "
    'of eps are against the same seed in full precision; "Fréchet, real" is to renders of what '
    "was asked for. MB: all weights as stored, with scales, two bytes a value for what stays in "
    "floating point. K/V kB: a prompt's keys and values, likewise. G BOPs: bit operations of a "
    "call for one prompt, 16 x 16 for floating point, rows kept exact at that price. PSNR gain: "
    "the mean of each picture's difference in dB, with the interval of these differences."
)


@dataclass(frozen=True)
class TableResult:
    """A table: its rows, as data and as text, and the run that they come from."""

    name: str
    title: str
    note: str
    run: ResumableRun
    rows: list[dict[str, object]]
    text: str
    plot: Callable[[Path], None]

    @property
    def seconds(self) -> float:
        """Total seconds of all measurements."""
        return round(sum(one["seconds"] for one in self.run.measurements.values()), 1)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as stored in JSON."""
        return {
            "title": self.title,
            "note": self.note,
            "settings": self.run.settings,
            "about": self.run.about,
            "seconds": self.seconds,
            "rows": self.rows,
        }

    def markdown(self, plot: str = "") -> str:
        """Return the table in Markdown, with the picture called `plot`, if any."""
        used = ", ".join(f"{key} {value}" for key, value in self.run.settings.items())
        machine = ", ".join(f"{key} {value}" for key, value in self.run.about.items())
        shown = f"![{self.title}]({plot})" if plot else ""
        parts = (
            f"# {self.title}",
            f"{used}.",
            f"{machine}; {self.seconds:.0f} s.",
            self.text,
            shown,
            NOTES,
            self.note,
        )
        return "\n\n".join(filter(None, parts)) + "\n"
