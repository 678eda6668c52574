"""Open a repository with its index and decide: the process that `checkin_time` times.

Prints JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..checkin import Repository, check_in
from ..checkin.index import read_models
from .collection import FORMS, requests

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def opened(folder: Path, index: Path) -> dict[str, Any]:
    """Open the repository; return the seconds, the model files read, and the peak memory.

    `peak_mib` is the largest resident memory of the process so far.
    """
    read = 0
    original = read_models.read_model

    def counted(model):
        nonlocal read
        read += 1
        return original(model)

    read_models.read_model = counted  # type: ignore[assignment]
    started = time.perf_counter()
    Repository.open(folder, cache=index, embedder=None)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "files_read": read, "peak_mib": _memory("VmHWM")}


def decided(folder: Path, index: Path, count: int, embedder: str | None) -> dict[str, Any]:
    """Time opening with an up-to-date index, the first decision, then `count` decisions.

    The kinds of requests take turns.
    """
    started = time.perf_counter()
    repository = Repository.open(folder, cache=index, embedder=embedder)
    open_s = time.perf_counter() - started
    texts = requests(count)
    check_in(texts[0][1], repository, now=NOW)
    first_s = time.perf_counter() - started
    for _, text in texts[
        :FORMS
    ]:  # some things are built once, at the first decision that needs them: not counted
        check_in(text, repository, now=NOW)
    times: dict[str, list[float]] = defaultdict(list)
    outcomes: dict[str, list[str]] = defaultdict(list)
    for kind, text in texts:
        started = time.perf_counter()
        decision = check_in(text, repository, now=NOW)
        times[kind].append(1000 * (time.perf_counter() - started))
        outcomes[kind].append(decision.outcome)
    kinds = {kind: summary(found) | _counted(outcomes[kind]) for kind, found in times.items()}
    all_times = [one for found in times.values() for one in found]
    return {
        "open_s": open_s,
        "first_decision_s": first_s,
        **summary(all_times),
        "kinds": kinds,
        "resident_mib": _memory("VmRSS"),
        "peak_mib": _memory("VmHWM"),
    }


def summary(milliseconds: list[float]) -> dict[str, float]:
    """Return the median and the 95th percentile."""
    if len(milliseconds) == 1:
        return {"median_ms": milliseconds[0], "p95_ms": milliseconds[0]}
    p95 = statistics.quantiles(milliseconds, n=20, method="inclusive")[-1]
    return {"median_ms": statistics.median(milliseconds), "p95_ms": p95}


def _counted(outcomes: list[str]) -> dict[str, Any]:
    return {"outcomes": {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))}}


def _memory(name: str) -> float | None:
    """Return MiB as Linux counts them; None elsewhere."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next(
        (int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:")), None
    )


if __name__ == "__main__":
    place, file, how_many, name = sys.argv[1:]
    if how_many == "0":
        print(json.dumps(opened(Path(place), Path(file))))
    else:
        print(json.dumps(decided(Path(place), Path(file), int(how_many), name or None)))
