"""The results as a table to read, and as JSON to attach to a bug report."""

from __future__ import annotations

import getpass
import json
import platform
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .processes import ENTRY, Found
from .rows import FAILED, OK, SKIPPED, Row

COLUMNS = (
    "check",
    "shape",
    "backend",
    "result",
    "error",
    "bound",
    "ms",
    "fp ms",
    "ratio",
    "first s",
    "CPU ms",
    "a layer",
    "peak MiB",
    "estimate",
)
NOTES = (
    "error: relative to float64, after moving weights to before. fp ms: the same in fp16, on a CPU "
    "in float32;\nratio: ms to fp ms. first s: the first call, with what is compiled for it. CPU "
    "ms: until a call returns\nwithout waiting for the device, and for each quantized layer. peak "
    "MiB: device memory of a call; estimate:\nwhat ComfyUI is told."
)
_PATH = re.compile(r"(?:\b[A-Za-z]:[\\/]|\\\\|(?<![\w.<>/])/)[^\s'\":;,()]*[\\/][^\s'\":;,()]*")
_INSIDE = re.compile(r"(<\w+>)[\\/][^\s'\":;,()]*")
"""A file in a known folder; its path is shown only if it is a Python file."""


def summary(found: Found, seconds: float, comfyui: Path | None) -> dict[str, Any]:
    """All results, for JSON, without paths and without names of people, machines and models."""
    clean = Scrubber(comfyui)
    rows = [clean.everywhere(asdict(row) | {"ratio": ratio(row)}) for row in in_order(found.rows)]
    counts = {
        result: sum(row["result"] == result for row in rows) for result in (OK, FAILED, SKIPPED)
    }
    return {
        "personalq doctor": 1,
        "seconds": round(seconds, 1),
        "counts": counts,
        "environment": clean.everywhere(found.environment),
        "rows": rows,
    }


def text(found: Found, seconds: float) -> str:
    """The environment, the table, and the reasons why checks failed or were skipped."""
    lines = [f"{name}: {value}" for name, value in _flat(found.environment)]
    rows = in_order(found.rows)
    lines += ["", *_table([COLUMNS, *(_cells(row) for row in rows)]), "", NOTES]
    for result in (FAILED, SKIPPED):
        told = [row for row in rows if row.result == result]
        reasons = {row.reason: [one for one in told if one.reason == row.reason] for row in told}
        for reason, those in reasons.items():
            names = [f"{row.check}: {row.shape}" for row in those[:3]] + ["..."] * (len(those) > 3)
            lines.append(f"{result} ({len(those)}): {'; '.join(names)}: {reason}")
    failed, good = (sum(row.result == result for row in rows) for result in (FAILED, OK))
    end = (
        f"{failed} of {len(rows)} checks failed" if failed else f"{good} checks are ok, none failed"
    )
    return "\n".join([*lines, f"{end}, in {seconds:.0f} s."])


def ratio(row: Row) -> float | None:
    """Time relative to floating point; below 1 is faster."""
    return row.ms / row.float_ms if row.ms is not None and row.float_ms else None


def in_order(rows: Iterable[Row]) -> list[Row]:
    """The rows grouped by the check's name, otherwise in their order."""
    rows = list(rows)
    names = list(dict.fromkeys(row.check for row in rows))
    return sorted(rows, key=lambda row: names.index(row.check))


class Scrubber:
    """Removes from texts what identifies a person: folders, the names of user and machine."""

    def __init__(self, comfyui: Path | None) -> None:
        folders = {
            "<ComfyUI>": comfyui,
            "<pack>": ENTRY,
            "<python>": Path(sys.prefix),
            "<temp>": Path(tempfile.gettempdir()),
            "<home>": Path.home(),
        }
        known = [
            (form, name) for name, folder in folders.items() if folder for form in _forms(folder)
        ]
        self._known = sorted(known, key=lambda pair: -len(pair[0]))  # inner folders first
        self._names = [name for name in (_user(), platform.node()) if len(name) > 2]

    def __call__(self, text: str) -> str:
        """`text` with placeholders for what identifies a person."""
        for form, name in self._known:
            text = text.replace(form, name)
        text = _PATH.sub(
            "<path>",
            _INSIDE.sub(lambda found: found[0] if found[0].endswith(".py") else found[1], text),
        )
        for name in self._names:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "<name>", text)
        return text

    def everywhere(self, value: Any) -> Any:
        """`value` with all texts in it cleaned."""
        if isinstance(value, dict):
            return {name: self.everywhere(part) for name, part in value.items()}
        return self(value) if isinstance(value, str) else value


def _forms(folder: Path) -> list[str]:
    """The ways in which error messages write a folder."""
    forms = {str(folder), folder.as_posix(), str(folder).replace("\\", "\\\\")}
    return [form for form in forms if len(form) > 1]


def _user() -> str:
    try:
        return getpass.getuser()
    except (
        OSError,
        KeyError,
        ImportError,
    ):  # the system does not know the user, or the module is missing on Windows
        return ""


def _flat(environment: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in environment.items():
        if isinstance(value, dict):
            yield from ((f"{name}, {part}", one) for part, one in value.items())
        elif value is not None:
            yield name, value


def _cells(row: Row) -> tuple[str, ...]:
    a_layer = None if row.launch_ms is None else row.launch_ms / row.layers
    figures = (
        row.error,
        row.bound,
        row.ms,
        row.float_ms,
        ratio(row),
        row.first_seconds,
        row.launch_ms,
        a_layer,
    )
    megabytes = (row.peak_mib, row.estimate_mib)
    shown = [row.check, row.shape, row.backend, row.result]
    return (
        *shown,
        *(_figure(one) for one in figures),
        *("" if one is None else f"{one:.0f}" for one in megabytes),
    )


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """The lines of the table, without columns that have only a heading."""
    used = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in used]
    lines = zip(*used, strict=True)
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def to_json(summed: dict[str, Any]) -> str:
    """The `summary` as indented JSON."""
    return json.dumps(summed, indent=1)
