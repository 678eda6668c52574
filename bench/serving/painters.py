"""What the painters of a running service loaded, from the log and the history of their ComfyUIs."""

from __future__ import annotations

import json
import re
import statistics
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError

_LOADED = "CLIP/text encoder model load device"
"""A line that ComfyUI logs for each checkpoint that it reads."""
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@dataclass(frozen=True)
class Loads:
    """What two things cost: to hold a base, and to quantize it."""

    loads: int
    """Checkpoints that were read."""
    quantized: int
    """Times that weights were quantized, or read as they were stored."""
    switch: float
    """Seconds that jobs took longer because of that."""


def loads_of(state: Path) -> Loads:
    """The sum over all painters that run now; `state` is the folder of the service."""
    logs = [log.read_text("utf-8", "replace") for log in state.glob("painter-*/comfyui.log")]
    histories = [_history(found[0]) for log in logs if (found := _ADDRESS.search(log))]
    runs = [list(_runs(history)) for history in histories]
    return counted(sum(log.count(_LOADED) for log in logs), runs)


def counted(loads: int, painters: Sequence[Sequence[tuple[float, float | None]]]) -> Loads:
    """Count in the jobs of each painter, in order: (seconds, what TAQ took for its weights).

    TAQ's seconds stay the same while it holds the weights: a new number is new work.
    """
    switches: list[float] = []
    others: list[float] = []
    for jobs in painters:
        seen: set[float | None] = {None}
        for seconds, taq in jobs:
            (others if taq in seen else switches).append(seconds)
            seen.add(taq)
    usual = statistics.median(others) if others else 0.0
    longer = sum(max(seconds - usual, 0.0) for seconds in switches)
    return Loads(loads, len(switches), round(longer, 1))


def _history(address: str) -> dict[str, Any]:
    """The jobs of a painter; none of one that was killed."""
    try:
        with urllib.request.urlopen(f"{address}/history", timeout=60) as answer:
            return json.load(answer)
    except URLError:
        return {}


def _runs(history: dict[str, Any]) -> Iterator[tuple[float, float | None]]:
    for job in history.values():
        times = {name: said["timestamp"] for name, said in job["status"]["messages"]}
        if "execution_success" in times:
            shown = job["outputs"].get("taq", {}).get("personalq", [{}])[0]
            spent = (times["execution_success"] - times["execution_start"]) / 1000
            yield spent, shown.get("report", {}).get("seconds")
