"""Write docs/reliability.md: runs tests/fuzz and tests/chaos, and puts their outcomes into a table.

python -P -m personalq.tests.chaos.table
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ..fuzz.attack import RESULTS, SEED

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "docs" / "reliability.md"
_COLUMNS = {
    "tried": "tried",
    "crashes": "crashes",
    "hangs": "hangs",
    "lost writes": "lost_writes",
    "stale cards": "stale_cards",
    "wrong tensors": "wrong_tensors",
    "foreign files": "foreign_files",
}
_HEAD = """\
# Reliability

What is thrown at PersonalQ by `tests/fuzz` and `tests/chaos`, and what it did. One command runs all
and writes this page:

```bash
python -P -m personalq.tests.chaos.table
```

Seed {seed}; {seconds:.0f} seconds on {cores} cores (load {load}). A crash is an exception that
leaves our code; a hang is a case that took longer, or more memory, than its test allows (a request
1 s, the file of a model 2 s; most cases 100 MB). A whole library, or 200 writes, is one case where
its test says so. Memory is by how much the process grew in a case, at its highest (measured so on
Linux). To repeat one case, put `PERSONALQ_SEED={seed} PERSONALQ_CASE=137` before `pytest` with its
file; with `PERSONALQ_CASES=full`, 12,000 files are tried. `tests/fuzz/guided.py` fuzzes headers by
coverage.

"""


def main() -> int:
    """Run the suites and write the page; the exit status is that of the tests."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.jsonl")
        command = [sys.executable, "-P", "-m", "pytest", "-q", "tests/fuzz", "tests/chaos"]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {RESULTS: str(results)})
        rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    before = PLACE.read_text("utf-8")
    PLACE.write_text(page(rows, time.monotonic() - start, before), "utf-8")
    return done.returncode


def page(rows: list[dict[str, Any]], seconds: float, before: str) -> str:
    """The page with one row for each attack, a last one for all, and the chapters of the old page
    `before`.
    """
    kept = "".join(before.partition("\n## ")[1:])
    head = _HEAD.format(seed=SEED, seconds=seconds, cores=os.cpu_count(), load=_load())
    names = ["attack", *_COLUMNS, "worst time", "worst memory"]
    lines = [_line(names), _line(["---"] * len(names)), *map(_row, rows)]
    total: dict[str, Any] = {key: sum(row[key] for row in rows) for key in _COLUMNS.values()}
    worst = {key: max(row[key] for row in rows) for key in ("worst_seconds", "worst_megabytes")}
    return head + "\n".join([*lines, _row({"attack": "**all**", **total, **worst})]) + "\n" + kept


def _load() -> str:
    """How many processes wanted a core in the last five minutes, this one among them."""
    return f"{os.getloadavg()[1]:.0f}" if hasattr(os, "getloadavg") else "unknown"


def _row(row: dict[str, Any]) -> str:
    counts = [f"{row[key]:,}" for key in _COLUMNS.values()]
    time_and_memory = [f"{row['worst_seconds']:.2f} s", f"{row['worst_megabytes']:.0f} MB"]
    return _line([row["attack"], *counts, *time_and_memory])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
