"""The comparison as a table, a plot, and a list of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..evidence.markdown import markdown
from ..selection.report import RIGHT, SILENT_ERROR, name_of, plain_name
from ..stacked_bars import stacked_bars
from .run import Judged, Result
from .score import VERDICTS

_OUTCOMES = {"select": "to select", "clarify": "to ask", "no_match": "to decline"}
_DIFFICULTIES = ("easy", "medium", "hard")
_WRONG = {
    "silent error": ("silent error", SILENT_ERROR),
    "unnecessary question": ("unnecessary question", "#e9c46a"),
    "poor question": ("poor question", "#f4e3b1"),
    "declined": ("wrongly declined", "#9aa5b1"),
}
"""Verdict -> its name in tables, and its colour in plots."""
_MAX_PATHS = 3
"""The most paths of one choice, or one expectation, that a list of errors shows."""


def table(found: Sequence[Mapping[str, Any]]) -> str:
    """Return a table with one row for each selector; `found` are the totals of each."""
    return markdown([columns("selector"), *(row(name_of(one["method"]), one) for one in found)])


def columns(rows: str) -> list[str]:
    """Return the head of a table of totals; `rows` is what its rows are."""
    names = [rows, "right", *(name for name, _ in _WRONG.values())]
    return [*names, *_OUTCOMES.values(), *_DIFFICULTIES, "ms, median"]


def row(name: str, found: Mapping[str, Any]) -> list[str]:
    """Return the row of such a table; `found` are totals."""
    low, high = found["interval"]
    return [
        name,
        f"{found['share']['right']:.1%} ({low:.0%} to {high:.0%})",
        *(f"{found['share'][name]:.1%}" for name in _WRONG),
        *(_percent(found["group"].get(name)) for name in _OUTCOMES),
        *(_percent(found["difficulty"].get(name)) for name in _DIFFICULTIES),
        f"{found['milliseconds_median']:.1f}",
    ]


def kinds_table(found: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the share right by kind of request, one row for each selector."""
    kinds = found[0]["kind"]
    head = ["selector", *(f"{kind} ({count['of']})" for kind, count in kinds.items())]
    rows = [
        [name_of(one["method"]), *(_percent(one["kind"][kind]) for kind in kinds)] for one in found
    ]
    return markdown([head, *rows])


def plot(found: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw what the answers of each selector are worth, as stacked bars."""
    looks = {"right": ("right", RIGHT), **_WRONG}
    parts = [(*looks[name], [one["share"][name] for one in found]) for name in VERDICTS]
    names = [plain_name(one["method"]) for one in found]
    stacked_bars(names, parts, "requests", path)


def errors(result: Result) -> str:
    """Return each wrong answer of a selector with its request and the best expectation."""
    return wrong_answers(plain_name(result.method), result)


def wrong_answers(name: str, result: Result) -> str:
    """Return the same under another name."""
    wrong = [one for one in result.judged if one.verdict != "right"]
    head = f"{name}: {len(wrong)} of {len(result.judged)} answers are wrong"
    return "\n\n".join([head, *map(_error, wrong)])


def _percent(count: Mapping[str, int] | None) -> str:
    return f"{count['right'] / count['of']:.0%}" if count else ""


def _error(one: Judged) -> str:
    request, answer, best = one.request, one.answer, one.request.accepted[0]
    behind = [_paths(answer.models)] if answer.models else [_paths(one) for one in answer.choices]
    return "\n".join(
        [
            f"{request.id} ({request.kind}, {request.difficulty}): {one.verdict}",
            f"  request: {request.text}",
            f"  answer:  {answer.outcome} {' | '.join(behind)}".rstrip(),
            f"  best:    {best.outcome} {_paths(sorted(best.models))}".rstrip(),
        ]
    )


def _paths(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else ""
    return ", ".join(paths[:_MAX_PATHS]) + more
