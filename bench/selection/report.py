"""Format the comparison as a table and a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..stacked_bars import stacked_bars
from .instances import GROUPS

RIGHT, SILENT_ERROR = "#2a9d8f", "#c1443c"
"""Colours in plots."""
NAMES = {
    "checkin": "**Check-in**",
    "checkin-no-retrieval": "Check-in without retrieval",
    "checkin-no-clarification": "Check-in that never asks",
    "checkin-rules-only": "Check-in, neither asking nor ranking",
    "checkin-llm": "Check-in with a language model",
    "stylus-composer": "Stylus (whole, with a language model)",
    "random": "Random, of the category",
    "bm25": "BM25",
    "dense": "Dense (MiniLM)",
    "rrf": "BM25 and dense, RRF",
    "stylus": "Stylus (cosine; MiniLM)",
    "reranker": "Reranker (stand-in: MiniLM)",
}
_HEAD = (
    "| selector | right | one card | must ask | nothing fits | asking: precision, recall | "
    "declining F1 | over-asking | silent error | graded relevance | ms, median |"
)


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """Return a table with one row per method."""
    rows = [_HEAD, "|---" * (_HEAD.count("|") - 1) + "|", *(_row(result) for result in results)]
    return "\n".join(rows)


def name_of(method: str) -> str:
    """Return the readable name of a method."""
    plain, tuned, _ = method.partition("+")
    name = NAMES.get(plain) or f"Reranker ({plain.partition(':')[2]})"
    return f"{name}, with thresholds" if tuned else name


def plain_name(method: str) -> str:
    """Return the readable name of a method, without the marks of bold type."""
    return name_of(method).replace("*", "")


def _row(result: Mapping[str, Any]) -> str:
    sums = result["totals"]
    accuracy = sums["accuracy"]
    groups = [
        f"{sums['groups'][name]['share']:.1%}" if sums["groups"][name]["of"] else ""
        for name in GROUPS
    ]
    return (
        f"| {name_of(result['method'])} | {accuracy['share']:.1%} ({accuracy['low']:.0%} to "
        f"{accuracy['high']:.0%}) | {' | '.join(groups)} | {sums['clarification_precision']:.2f}, "
        f"{sums['clarification_recall']:.2f} | {sums['no_match_f1']:.2f} | "
        f"{sums['over_asking']:.1%} | {sums['silent_wrong']:.1%} | "
        f"{sums['graded_relevance']:.2f} | {sums['milliseconds_median']:.1f} |"
    )


def plot(results: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw stacked bars of each method: right, asked or declined unnecessarily, silent error."""
    names = [plain_name(result["method"]) for result in results]
    right = [result["totals"]["accuracy"]["share"] for result in results]
    wrong = [result["totals"]["silent_wrong"] for result in results]
    rest = [1 - good - bad for good, bad in zip(right, wrong, strict=True)]
    parts = (
        ("right", RIGHT, right),
        ("asked or declined unnecessarily", "#e9c46a", rest),
        ("silent error", SILENT_ERROR, wrong),
    )
    stacked_bars(names, parts, "queries", path)
