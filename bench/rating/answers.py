"""Summarize raters' answers as a table, as the paper's human study."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..table import table
from ..wilson import wilson
from .pairs import Pair, digest

_OTHER = {"left": "right", "right": "left"}
ASKED = ("quantized", "full precision", "same")
"""Which picture was found to be more what was asked for."""


def read(file: Path, pairs: Sequence[Pair]) -> list[dict[str, str]]:
    """Return a rater's answers from the file that the page saved.

    Raises ValueError for one that is of other pairs, or no such file.
    """
    try:
        saved = json.loads(file.read_text("utf-8"))
        page, answers = saved["page"], saved["answers"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{file} is no file of answers that the page saved: {error}") from None
    if page != digest(pairs):
        raise ValueError(f"{file} is of another page ({page}) than these pairs ({digest(pairs)})")
    return list(answers)


def summarize(pairs: Sequence[Pair], raters: Sequence[list[dict[str, str]]]) -> dict[str, Any]:
    """Return, for each way to quantize, what all raters answered.

    "asked" counts `ASKED`; "found" is how often the full-precision picture was named among the
    "told" answers, those that named one. One half of them would be chance.
    """
    by_id = {pair.id: pair for pair in pairs}
    rows: dict[str, dict[str, Any]] = {}
    for answers in raters:
        for answer in answers:
            pair = by_id[answer["pair"]]
            row = rows.setdefault(
                pair.variant,
                {"ratings": 0, "asked": dict.fromkeys(ASKED, 0), "told": 0, "found": 0},
            )
            row["ratings"] += 1
            means = {pair.full_is: "full precision", _OTHER[pair.full_is]: "quantized"}
            row["asked"][means.get(answer["asked"], "same")] += 1
            row["told"] += answer["full"] in _OTHER
            row["found"] += answer["full"] == pair.full_is
    return {"raters": len(raters), "pairs": len(pairs), "rows": dict(sorted(rows.items()))}


def report(result: dict[str, Any]) -> str:
    """Return the summary as a table, with Wilson's 95 % intervals."""
    lines: list[tuple[object, ...]] = [
        (
            f"{result['raters']} raters, {result['pairs']} pairs",
            "ratings",
            *(f"more what was asked for: {name}" for name in ASKED),
            "full precision recognised (chance: 50 %)",
        )
    ]
    for name, row in result["rows"].items():
        shares = [_share(row["asked"][which], row["ratings"]) for which in ASKED]
        lines.append((name, row["ratings"], *shares, _share(row["found"], row["told"])))
    return table(lines)


def _share(count: int, of: int) -> str:
    if not of:
        return "nobody could tell"
    low, high = wilson(count, of)
    return f"{count / of:.0%} ({low:.0%} to {high:.0%})"
