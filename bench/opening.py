"""Measure how a library opens with and without its index, and its memory, beside another version.

The files are those of strangers' libraries, again and again. Every measurement is a process of its
own; both versions take turns and open the same files.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from .evidence.markdown import markdown
from .kept_results import keep
from .libraries.many import requests, write_many
from .machine import processor

_DECISIONS = 40
_MANY = 50_000
"""From so many models on, the first scan is measured once."""
_PROGRAM = """
import json, sys, time
from datetime import UTC, datetime
from pathlib import Path
from personalq.checkin import Repository, check_in

def memory(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name + ":"))

folder, index, texts = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
before, wall, cpu = memory("VmRSS"), time.perf_counter(), time.process_time()
repository = Repository.open(Path(folder), cache=Path(index), embedder=None)
found = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
found |= {"grown_mib": memory("VmRSS") - before, "peak_mib": memory("VmHWM")}
now = datetime(2026, 11, 21, 12, tzinfo=UTC)
for place, text in enumerate(texts):
    check_in(text, repository, now=now)
    if not place:
        found["first_decision_cpu"] = time.process_time() - cpu
found["deciding_mib"] = memory("VmRSS")
print(json.dumps(found))
"""
_ABOUT = """\
The files are those of the open libraries, again and again, each time under other names. The first
scan starts without an index; the files themselves are in the system's cache."""
_ROWS = (
    ("first scan, CPU s", "scan", "cpu"),
    ("first scan, s", "scan", "seconds"),
    ("greatest memory of the first scan, MiB", "scan", "peak_mib"),
    ("index on disk, MiB", "scan", "index_mib"),
    ("opening with the index, CPU s", "open", "cpu"),
    ("opening with the index, s", "open", "seconds"),
    ("memory that opening takes, MiB", "open", "grown_mib"),
    ("until the first decision, CPU s", "open", "first_decision_cpu"),
    (f"memory after {_DECISIONS} decisions, MiB", "open", "deciding_mib"),
)
"""What a row says, and where its figure stands."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench opening`."""
    parser.add_argument("--models", type=int, nargs="+", default=[1000], help="numbers of files")
    parser.add_argument("--runs", type=int, default=5, help="processes for each figure")
    parser.add_argument(
        "--beside", type=Path, metavar="CHECKOUT", help="another version of the package to compare"
    )
    parser.add_argument("--keep", action="store_true", help="write the table to bench/results")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the medians of all figures, for each size and version, and their table.

    Raises ValueError where memory cannot be measured, and for another version that is none.
    """
    if options.beside and not (options.beside / "checkin" / "__init__.py").is_file():
        raise ValueError(f"{options.beside} is no checkout of personalq: it has no checkin/")
    if not Path("/proc/self/status").exists():
        raise ValueError("memory is read from /proc/self/status, which Linux alone has")
    here = Path(__file__).parents[1]
    versions = {"now": here} | ({"before": options.beside.resolve()} if options.beside else {})
    sizes = [_size(count, versions, options.runs) for count in options.models]
    result = {"processor": processor(), "runs": options.runs, "sizes": sizes}
    text = report(result)
    if options.keep:
        keep("opening", result, text)
    return result, text


def _size(models: int, versions: Mapping[str, Path], runs: int) -> dict[str, Any]:
    texts = json.dumps(requests()[:_DECISIONS])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "models"
        write_many(folder, models)
        packages = {name: _importable(path, Path(place, name)) for name, path in versions.items()}
        indexes = {name: Path(place, f"{name}.sqlite") for name in versions}
        found: dict[str, dict[str, list[dict[str, float]]]] = {
            name: {"scan": [], "open": []} for name in versions
        }
        for _ in range(1 if models >= _MANY else min(runs, 3)):
            for name, index in indexes.items():
                index.unlink(missing_ok=True)
                scan = _process(packages[name], folder, index, "[]")
                found[name]["scan"].append(scan | {"index_mib": index.stat().st_size / 2**20})
        for _ in range(runs):
            for name, index in indexes.items():
                found[name]["open"].append(_process(packages[name], folder, index, texts))
    return {
        "models": models,
        **{
            name: {part: _medians(measured) for part, measured in parts.items()}
            for name, parts in found.items()
        },
    }


def _importable(checkout: Path, place: Path) -> Path:
    """A folder on which Python finds this checkout as `personalq`."""
    place.mkdir()
    (place / "personalq").symlink_to(checkout, target_is_directory=True)
    return place


def _process(package: Path, folder: Path, index: Path, texts: str) -> dict[str, float]:
    command = [sys.executable, "-P", "-c", _PROGRAM, str(folder), str(index), texts]
    environment = os.environ | {"PYTHONPATH": str(package)}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=environment, cwd=package
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _medians(measured: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: median(one[name] for one in measured) for name in measured[0]}


def report(result: Mapping[str, Any]) -> str:
    """Return the measurement as a table; with another version, its figure and the ratio too."""
    sizes = result["sizes"]
    rows = [["what", *(f"{size['models']:,} files" for size in sizes)]]
    rows += [[name, *(_cell(size, part, key) for size in sizes)] for name, part, key in _ROWS]
    command = f"personalq bench opening --models {' '.join(str(size['models']) for size in sizes)}"
    compared = ""
    if "before" in sizes[0]:
        command += " --beside CHECKOUT"
        compared = ", in brackets the other version's and the ratio"
    return (
        f"# How a library opens\n\n`{command}`\non {result['processor']}: medians of "
        f"{result['runs']} processes\n(of the first scan at most 3){compared}.\n{_ABOUT}\n\n"
        f"{markdown(rows)}\n"
    )


def _cell(size: Mapping[str, Any], part: str, key: str) -> str:
    now = size["now"][part][key]
    if "before" not in size:
        return f"{now:.3g}"
    before = size["before"][part][key]
    return f"{now:.3g} ({before:.3g}; {now / before:.2f})"
