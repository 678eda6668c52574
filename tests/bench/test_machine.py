"""What is told of the machine, also where the system counts less than Linux does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from personalq.bench.machine import load_average
from personalq.bench.users import report

KEPT = Path(__file__).parents[2] / "bench" / "results" / "users.json"


def test_windows_has_no_load(monkeypatch) -> None:
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert load_average() is None


def test_what_a_system_does_not_count_is_left_empty() -> None:
    measured = json.loads(KEPT.read_text("utf-8"))
    assert "with a load of 3.4 before" in report(measured)
    of_windows = {"load_average": None, "processor_s": 0.0, "peak_bytes": 0}
    for found in measured["found"].values():
        found |= of_windows
    measured["load_average"] = None
    assert "| W8A8 | 26.9 | 22.1 | 24.9 |  |  |  |" in report(measured)
    assert "with a load" not in report(measured)


def test_a_day_is_replayed_without_the_module_that_windows_lacks() -> None:
    program = "import sys; sys.modules['resource'] = None; import personalq.bench.day.replay"
    subprocess.run([sys.executable, "-P", "-c", program], check=True)
