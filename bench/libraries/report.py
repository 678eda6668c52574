"""The comparison as a table, a plot, and a list of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..evidence.markdown import markdown
from ..selection.report import RIGHT, SILENT_ERROR
from ..selection.report import name_of as _name_of
from ..stacked_bars import stacked_bars
from .ablations import PARTS
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


def name_of(method: str) -> str:
    """Return the readable name of a selector, in Markdown."""
    return PARTS[method].label if method in PARTS else _name_of(method)


def table(found: Sequence[Mapping[str, Any]]) -> str:
    """Return a table with one row for each selector; `found` are the totals of each."""
    return markdown([columns("selector"), *(row(name_of(one["method"]), one) for one in found)])


def columns(rows: str) -> list[str]:
    """Return the head of a table of totals; `rows` is what its rows are."""
    names = [rows, "right", *(name for name, _ in _WRONG.values())]
    return [*names, *_OUTCOMES.values(), *_DIFFICULTIES, "ms, median"]


def row(name: str, found: Mapping[str, Any]) -> list[str]:
    """Return the row of such a table; `found` are totals."""
    return [
        name,
        *(_with_interval(found, verdict) for verdict in ("right", *_WRONG)),
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


def parts_table(found: Sequence[Mapping[str, Any]]) -> str:
    """Return what each part of Check-in is worth; `found` as `paired` returns it."""
    head = ["selector", "right, beside Check-in", "right only with it", "right only without it"]
    return markdown([head, *map(_part_row, found)])


def judged_table(found: Sequence[Mapping[str, Any]]) -> str:
    """Return what a judge says of each selector beside Check-in; `found` as `judgements`."""
    head = ["beside", "compared", "both orders agree", "of these prefer Check-in"]
    head += ["intent score of Check-in", "its intent score", "shift between the orders"]
    return markdown([head, *map(_judged_row, found)])


def plot(found: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw what the answers of each selector are worth, as stacked bars."""
    looks = {"right": ("right", RIGHT), **_WRONG}
    parts = [(*looks[name], [one["share"][name] for one in found]) for name in VERDICTS]
    names = [_plain(one["method"]) for one in found]
    stacked_bars(names, parts, "requests", path)


def errors(result: Result) -> str:
    """Return each wrong answer of a selector with its request and the best expectation."""
    return wrong_answers(_plain(result.method), result)


def wrong_answers(name: str, result: Result) -> str:
    """Return the same under another name."""
    wrong = [one for one in result.judged if one.verdict != "right"]
    head = f"{name}: {len(wrong)} of {len(result.judged)} answers are wrong"
    return "\n\n".join([head, *map(_error, wrong)])


def _plain(method: str) -> str:
    return name_of(method).replace("*", "")


def _part_row(found: Mapping[str, Any]) -> list[str]:
    low, high = (100 * end for end in found["interval"])
    return [
        name_of(found["method"]),
        f"{100 * found['difference']:+.1f} points ({low:+.1f} to {high:+.1f})",
        str(found["lost"]),
        str(found["gained"]),
    ]


def _judged_row(found: Mapping[str, Any]) -> list[str]:
    low, high = found["interval"]
    share = found["share"]
    scores = [found["first"], found["second"]]
    return [
        name_of(found["method"]),
        str(found["judged"]),
        str(found["consistent"]),
        "" if share is None else f"{share:.1%} ({low:.0%} to {high:.0%})",
        *(f"{one[0]:.2f} ± {one[1]:.2f}" if one else "" for one in scores),
        "" if found["shift"] is None else f"{found['shift']:.2f}",
    ]


def _with_interval(found: Mapping[str, Any], name: str) -> str:
    low, high = found["interval"][name]
    return f"{found['share'][name]:.1%} ({low:.0%} to {high:.0%})"


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
