"""Format a run as a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MEGABYTE = 1e6


def markdown(run: dict[str, Any]) -> str:
    """Return the rows of `run`, what they were measured on, and what could not run and why."""
    rows: dict[str, dict[str, Any]] = run["rows"]
    lines = [_heading(run["settings"]), ""]
    if rows:
        head: tuple[str, ...] = (
            "",
            "quantizes",
            "MB",
            "of fp16",
            "MB, sampling",
            "step / float",
            "cond",
            "uncond",
            "guided",
        )
        whole = next(iter(rows.values()))
        head += ("peak / float",) if "peak_bytes" in whole else ()
        lines += _table([head, *(_cells(name, row, whole) for name, row in rows.items())])
        lines += ["", *_notes(run["settings"], next(iter(rows.values())))]
    if run["not run"]:
        lines += ["", "Not run here:", ""]
        lines += [f"- {name}: {'; '.join(reasons)}" for name, reasons in run["not run"].items()]
    return "\n".join(lines)


def _heading(settings: dict[str, Any]) -> str:
    weights = settings["checkpoint"] or f"random weights, seed {settings['seed']}"
    compiled = ", compiled" if settings["compiled"] else ""
    return (
        f"{settings['model']} UNet ({weights}), {settings['side']} px, batch of 2, "
        f"{settings['dtype']}{compiled}; {settings['machine']}, torch {settings['torch']}, "
        f"{settings['threads']} threads, medians of {settings['repeats']}."
    )


def _cells(name: str, row: dict[str, Any], whole: dict[str, Any]) -> tuple[str, ...]:
    peak = (f"{row['peak_bytes'] / whole['peak_bytes']:.3f}",) if "peak_bytes" in whole else ()
    return (
        f"{name} (simulated)" if row["simulated"] else name,
        row["quantizes"],
        f"{row['bytes'] / MEGABYTE:.1f}",
        f"{row['bytes'] / whole['bytes']:.3f}",
        f"{row['sampling_bytes'] / MEGABYTE:.1f}",
        f"{row['ratio']:.2f}",
        *(f"{row['errors'][branch]:.2g}" for branch in ("cond", "uncond", "guided")),
        *peak,
    )


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ("---", "---", *("---:" for _ in rows[0][2:]))
    return [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]


def _notes(settings: dict[str, Any], float_row: dict[str, Any]) -> list[str]:
    random = " Random weights have no outliers: give a checkpoint for the errors of a real model."
    return [
        (
            "MB: all weights as stored, with their scales; what stays in floating point counts two "
            "bytes a value. MB, sampling: without what runs once for a prompt only, and with what "
            "that leaves."
        ),
        "step / float: seconds of a step over those of floating point, taken in turn.",
        "cond, uncond, guided: |eps - eps in float32| / |eps in float32|, guided = uncond + 7.5 "
        f"(cond - uncond). Here the text moves eps by {float_row['text_effect']:.2f} of its size."
        + ("" if settings["checkpoint"] else random),
    ]
