"""How long Check-in takes: reading a large repository, reading it again, and deciding."""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..checkin import Repository, check_in
from .collection import FORMS, collection, requests, write_collection
from .table import table

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def measure(models: int = 1000, decisions: int = 200) -> dict[str, Any]:
    """Seconds for the first scan and a rescan of `models` files, milliseconds for a decision by median and p95.

    Raises ValueError when there are too few decisions for one of each kind.
    """
    if decisions < FORMS:
        raise ValueError(f"at least {FORMS} decisions are needed: one of each kind of request")
    with tempfile.TemporaryDirectory() as place:
        folder, index = Path(place) / "models", Path(place) / "index.json"
        write_collection(folder, collection(models))
        result: dict[str, Any] = {"models": models, "decisions": decisions}
        for step in ("first_scan_s", "rescan_s"):
            started = time.perf_counter()
            repository = Repository.open(folder, cache=index, embedder=None)
            result[step] = time.perf_counter() - started
        result["words"] = _decisions(repository, decisions)
        if importlib.util.find_spec("sentence_transformers"):
            started = time.perf_counter()
            repository = Repository.open(folder, cache=index)
            repository.rank("any text", repository.cards)  # embeds every card
            result["first_dense_s"] = time.perf_counter() - started
            result["dense"] = _decisions(repository, decisions)
    return result


def report(result: dict[str, Any]) -> str:
    """The measurement as a table."""
    rows: list[tuple[object, ...]] = [("what", "median", "p95", "unit")]
    rows.append((f"first scan of {result['models']} model files", result["first_scan_s"], "", "s"))
    rows.append(("rescan, nothing new", result["rescan_s"], "", "s"))
    for name, title in (("words", "decision, by words alone"), ("dense", "decision, with the dense embedder")):
        if name in result:
            rows.append((title, result[name]["median_ms"], result[name]["p95_ms"], "ms"))
            rows.append(("  of those, the ones that ask", result[name]["asking_median_ms"], "", "ms"))
    if "first_dense_s" in result:
        rows.append(("loading the embedder and embedding all cards, once", result["first_dense_s"], "", "s"))
    else:
        rows.append(("dense embedder", "not installed", "", ""))
    return table(rows)


def _decide_all(texts: list[str], repository: Repository) -> None:
    for text in texts:
        check_in(text, repository, now=NOW)


def _decisions(repository: Repository, count: int) -> dict[str, Any]:
    texts = requests(count)
    _decide_all(texts[:FORMS], repository)  # what is built once, at the first decision that needs it, is not counted
    milliseconds, asking, outcomes = [], [], Counter[str]()
    for text in texts:
        started = time.perf_counter()
        decision = check_in(text, repository, now=NOW)
        milliseconds.append(1000 * (time.perf_counter() - started))
        outcomes[decision.outcome] += 1
        if decision.question:  # only then are models put in order
            asking.append(milliseconds[-1])
    return {
        "median_ms": statistics.median(milliseconds),
        "p95_ms": statistics.quantiles(milliseconds, n=20)[-1],
        "asking_median_ms": statistics.median(asking),
        "outcomes": dict(outcomes),
    }
