"""`personalq doctor`: check what quantization computes on this machine, and how fast."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from ..comfyui_folder import find_comfyui
from ..doctor import report
from ..doctor.messages import Job
from ..doctor.processes import Found, check_all
from ..doctor.rows import FAILED, SKIPPED, Row
from ..doctor.worker import START, work

SECONDS = 90.0
"""Time limit of all checks together."""
SHARED = Path("personalq-doctor.json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    parser.add_argument(
        "--share",
        action="store_true",
        help=f"write {SHARED}, to attach to a report: it names nobody",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--device", metavar="NAME", help="cuda, cuda:1, cpu, ... (default: the accelerator here)"
    )
    parser.add_argument("--quick", action="store_true", help="small shapes alone")
    parser.add_argument(
        "--comfyui", type=Path, metavar="PATH", help="ComfyUI's folder (default: look for one)"
    )
    parser.add_argument("--job", help=argparse.SUPPRESS)  # for the process that runs the checks


def run(options: argparse.Namespace) -> int:
    """Run all checks and print the report; return 1 where a check failed, else 0.

    Raises ValueError where the input is wrong.
    """
    if options.job:
        return work(Job.from_json(options.job))
    if options.device and not re.fullmatch(r"[a-z]+(:\d+)?", options.device):
        raise ValueError(
            f"--device {options.device}: a device is called cuda, cuda:1, cpu, mps or xpu"
        )
    started = time.perf_counter()
    comfyui = find_comfyui(options.comfyui)
    found = check_all(options.device, options.quick, comfyui, SECONDS, _show)
    if comfyui is None:
        reason = "no ComfyUI was found: give --comfyui PATH"
        found.rows.append(Row(START.name, "quantized models in it", SKIPPED, reason))
    seconds = time.perf_counter() - started
    summed = report.summary(found, seconds, comfyui)
    print(report.to_json(summed) if options.json else report.text(found, seconds))
    if options.share:
        _write(report.to_json(summed))
    return int(any(row.result == FAILED for row in found.rows))


def _write(text: str) -> None:
    try:
        SHARED.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(
            f"{SHARED} cannot be written here ({error.strerror}); run it in another folder"
        ) from None
    print(f"Written: {SHARED.absolute()}", file=sys.stderr)


def _show(found: Found) -> None:
    """Show the progress in a terminal."""
    if sys.stderr.isatty():
        row = found.rows[-1]
        print(
            f"\r{len(found.rows)} checks done; {row.check:40.40}",
            end="\r",
            file=sys.stderr,
            flush=True,
        )
