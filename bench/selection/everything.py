"""All selectors on Repo-Prompts, and Check-in on free-form requests: one report and one plot."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...checkin import Repository
from ..machine import environment
from ..repo_prompts import NOW, write
from .instances import read_instances
from .report import plot, table
from .run import METHODS, SCORING, TUNED, judge

SEED = 0
REQUESTS = Path(__file__).parents[1] / "requests"
RESULTS = Path(__file__).parents[1] / "results"
PACKAGES = ("numpy", "sentence-transformers", "simplemma")
"""The packages on which results depend."""
HALVES = {"tune": "seen while the rules were written", "held_out": "set aside before"}


def run_everything(results: Path = RESULTS) -> str:
    """Evaluate all methods; write selection.json, .md and .png; return the text of the .md."""
    with TemporaryDirectory() as folder:
        made = write(Path(folder), SEED)
        repository = Repository.open(cards=made / "cards.jsonl")
        queries = read_instances(made / "queries.jsonl")
    methods = [*METHODS, *(name + TUNED for name in SCORING if name != "random")]
    judged = [judge(method, queries, repository, NOW) for method in methods]
    free = free_form()
    about = environment(*PACKAGES)
    text = _text(judged, free, about)
    results.mkdir(parents=True, exist_ok=True)
    totals = [{"method": result["method"], **result["totals"]} for result in judged]
    found = {"about": about, "seed": SEED, "repo_prompts": totals, "free_form": free}
    (results / "selection.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (results / "selection.md").write_text(text, "utf-8")
    plot(judged, results / "selection.png")
    return text


def free_form() -> list[dict[str, Any]]:
    """Return Check-in's totals on each half of each set of hand-written requests."""
    found = []
    for folder in sorted(path for path in REQUESTS.iterdir() if path.is_dir()):
        repository = Repository.open(cards=folder / "cards.jsonl")
        now = datetime.fromisoformat(json.loads((folder / "about.json").read_text("utf-8"))["now"])
        for half in HALVES:
            result = judge("checkin", read_instances(folder / f"{half}.jsonl"), repository, now)
            found.append({"set": folder.name, "half": half, **result["totals"]})
    return found


def _text(judged: list[dict[str, Any]], free: list[dict[str, Any]], about: dict[str, str]) -> str:
    lines = [
        "# Selecting a model",
        "",
        (
            f"`personalq bench selection --all`, seed {SEED}, on {about['processor']}, Python "
            f"{about['python']}."
        ),
        "",
        "## Repo-Prompts: 500 queries over 1,000 cards",
        "",
        table(judged),
        "",
        (
            "With thresholds, a selector declines below one score and asks within another; both "
            "are tuned on one half of"
        ),
        "the queries and judged on the other. The reranker of the paper (Qwen3-Reranker) runs as",
        (
            "`--method reranker:MODEL` where its weights are here; the row above is a stand-in, "
            "the packaged MiniLM's"
        ),
        "cosine of prompt and description. All of Check-in here is offline: no language model.",
        "Graded relevance, 0 to 1, is computed from cards (graded_relevance.py). It is not the",
        "intent score of the paper, which a language model gives: `--llm PROFILE` asks one.",
        "",
        "![right, asked or declined unnecessarily, and silent errors](selection.png)",
        "",
        "## Free-form requests, Check-in offline",
        "",
        "| repository | half | requests | right | over-asking | silent error |",
        "|---|---|---|---|---|---|",
    ]
    for half, meaning in HALVES.items():
        rows = [row for row in free if row["half"] == half]
        lines += [_free_row(row["set"], meaning, [row]) for row in rows]
        if rows:
            lines.append(_free_row("**all**", f"**{meaning}**", rows))
    return "\n".join(lines) + "\n"


def _free_row(name: str, meaning: str, rows: list[dict[str, Any]]) -> str:
    queries = sum(row["queries"] for row in rows)
    right = sum(row["accuracy"]["right"] for row in rows)
    over, silent = (
        sum(row[key] * row["queries"] for row in rows) / queries
        for key in ("over_asking", "silent_wrong")
    )
    return f"| {name} | {meaning} | {queries} | {right / queries:.1%} | {over:.1%} | {silent:.1%} |"
