"""Measure how long Check-in takes on a large repository, and how much memory it uses.

Timed are the first scan, opening again, and decisions.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .collection import FORMS, collection, write_collection
from .kept_results import keep
from .machine import processor
from .table import table

_DENSE_UP_TO = 1000
"""Largest number of models that is also measured with embeddings.

Embedding more cards takes minutes, and that time depends on the embedder alone.
"""
_FILES = (
    "Real small safetensors files, four of five with a sidecar; each figure is of a process of its "
    "own."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench checkin`."""
    parser.add_argument(
        "--models", type=int, nargs="+", default=[1000], help="sizes; 100000 takes 5 GB and minutes"
    )
    parser.add_argument("--decisions", type=int, default=160)
    parser.add_argument("--keep", action="store_true", help="write the table to bench/results")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text."""
    result = measure(options.models, options.decisions)
    if options.keep:
        keep("checkin_time", result, kept(result))
    return result, report(result)


def measure(models: Sequence[int] = (1000,), decisions: int = 160) -> dict[str, Any]:
    """Measure the first scan, opening, a rescan, decisions and memory for each size.

    Times are in seconds, those of decisions in milliseconds; memory is in MiB. Raises ValueError
    when there are too few decisions for one of each kind, and for no model.
    """
    if min(models) < 1:
        raise ValueError("--models 0: at least one model is needed")
    if decisions < FORMS:
        raise ValueError(f"at least {FORMS} decisions are needed: one of each kind of request")
    return {
        "processor": processor(),
        "decisions": decisions,
        "sizes": [_size(count, decisions) for count in models],
    }


def _size(models: int, decisions: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        folder, index = Path(place) / "models", Path(place) / "index.sqlite"
        made = collection(models)
        write_collection(folder, made)
        result: dict[str, Any] = {"models": models, "first_scan": _process(folder, index, 0)}
        result["decide"] = _process(folder, index, decisions)
        (folder / made[0].path).touch()
        result["rescan"] = _process(folder, index, 0)
        result["index_mib"] = index.stat().st_size / 2**20
        if models <= _DENSE_UP_TO and importlib.util.find_spec("sentence_transformers"):
            result["dense"] = _process(folder, index, decisions, "auto")
    return result


def _process(folder: Path, index: Path, decisions: int, embedder: str = "") -> dict[str, Any]:
    module = f"{__package__}.checkin_process"
    command = [
        sys.executable,
        "-P",
        "-m",
        module,
        str(folder),
        str(index),
        str(decisions),
        embedder,
    ]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def report(result: dict[str, Any]) -> str:
    """Return the measurement as tables."""
    sizes = result["sizes"]
    rows: list[Sequence[object]] = [("what", *(f"{size['models']:,} models" for size in sizes))]
    rows.append(("first scan, s", *(size["first_scan"]["seconds"] for size in sizes)))
    rows.append(
        ("  greatest memory, MiB", *(_whole(size["first_scan"]["peak_mib"]) for size in sizes))
    )
    rows.append(("opening, nothing changed, s", *(size["decide"]["open_s"] for size in sizes)))
    rows.append(
        (
            "  until the first decision is made, s",
            *(size["decide"]["first_decision_s"] for size in sizes),
        )
    )
    rows.append(("rescan, one file changed, s", *(size["rescan"]["seconds"] for size in sizes)))
    rows.append(("  model files read", *(size["rescan"]["files_read"] for size in sizes)))
    rows.append(("  greatest memory, MiB", *(_whole(size["rescan"]["peak_mib"]) for size in sizes)))
    rows.append(("index on disk, MiB", *(_whole(size["index_mib"]) for size in sizes)))
    rows.append(
        ("memory after deciding, MiB", *(_whole(size["decide"]["resident_mib"]) for size in sizes))
    )
    rows.append(("decision, median (p95), ms", *(_times(size["decide"]) for size in sizes)))
    rows += [
        (f"  {kind}", *(_times(size["decide"]["kinds"][kind]) for size in sizes))
        for kind in sizes[0]["decide"]["kinds"]
    ]
    if any("dense" in size for size in sizes):
        dense = [_times(size["dense"]) if "dense" in size else "" for size in sizes]
        rows.append(("decision with the packaged embedder, ms", *dense))
    return f"{result['processor']}. {_FILES}\n\n{table(rows)}"


def kept(result: dict[str, Any]) -> str:
    """Return the text for bench/results, with the command that makes it again."""
    models = " ".join(str(size["models"]) for size in result["sizes"])
    command = f"personalq bench checkin --models {models} --decisions {result['decisions']} --keep"
    return f"# How long Check-in takes\n\n`{command}`\n\n```\n{report(result)}\n```\n"


def _times(found: dict[str, Any]) -> str:
    return f"{found['median_ms']:.1f} ({found['p95_ms']:.1f})"


def _whole(number: float | None) -> object:
    return "" if number is None else round(number)
