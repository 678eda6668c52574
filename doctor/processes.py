"""Runs the checks in a separate process, and starts a new one whenever a check ends the process."""

from __future__ import annotations

import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from .messages import BROKEN_DEVICE, WRONG_INPUT, Job, received
from .rows import FAILED, SKIPPED, Row
from .worker import START

MAX_STARTS = 5
SILENCE = 150.0
"""Seconds without output after which a process counts as stuck."""
ENTRY = Path(__file__).absolute().parents[1]
"""The pack's folder, which Python can run as a program (`__main__.py`)."""


@dataclass
class Found:
    """The results of all processes."""

    environment: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)


@dataclass
class _Ended:
    """How one process ended."""

    code: int | str = 0
    error: str = ""
    """The last line that it printed to stderr."""
    finished: bool = False
    begun: dict[str, Any] = field(default_factory=dict)
    """The message that began the check during which it ended; empty = none was running."""


def check_all(
    device: str | None,
    quick: bool,
    comfyui: Path | None,
    seconds: float,
    show: Callable[[Found], None],
) -> Found:
    """Run all checks; none begins after `seconds`.

    `show` is called after each row. Raises ValueError for wrong input.
    """
    found, end = Found(), time.monotonic() + seconds
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as models:
        job = Job(device, quick, str(comfyui) if comfyui else None, models, seconds, [])
        for _ in range(MAX_STARTS):
            job.seconds = max(0.0, end - time.monotonic())
            ended = _run(job, found, show)
            if ended.finished:
                return found
            if ended.code == WRONG_INPUT:
                raise ValueError(ended.error)
            _note(ended, job, found)
        reason = f"{MAX_STARTS} processes ended before these checks"
        found.rows.append(Row("doctor", "the other checks", SKIPPED, reason))
    return found


def _note(ended: _Ended, job: Job, found: Found) -> None:
    """Add a row for the check that ended the process, and skip that check in the next process."""
    if ended.code == BROKEN_DEVICE:
        return  # the check's own row says what broke the device
    begun = ended.begun or {"started": "", "check": "doctor", "shape": "starts"}
    if begun["started"] == START.key:
        job.comfyui = None
    reason = f"the process ended with {ended.code}: {ended.error}"
    found.rows.append(Row(begun["check"], begun["shape"], FAILED, reason))
    job.done.append(begun["started"])


def _run(job: Job, found: Found, show: Callable[[Found], None]) -> _Ended:
    flags = ["-s"] if sys.flags.no_user_site else []
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, *flags, str(ENTRY), "doctor", "--job", job.to_json()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            errors="replace",
        )
        try:
            ended = _listen(_lines(process), job, found, show)
            if not ended.code:
                ended.code = process.wait()
        finally:
            process.kill()
            process.wait()
        ended.error = _last_line(errors)
        return ended


def _listen(
    lines: queue.Queue[str | None], job: Job, found: Found, show: Callable[[Found], None]
) -> _Ended:
    """Read a process's messages until it ends or prints nothing for SILENCE seconds."""
    ended = _Ended()
    while True:
        try:
            line = lines.get(timeout=SILENCE)
        except queue.Empty:
            ended.code = f"no answer within {SILENCE:.0f} s"
            return ended
        if line is None:
            return ended
        message = received(line) or {}
        ended.finished = ended.finished or "finished" in message
        found.environment |= message.get("environment", {})
        if "started" in message:
            ended.begun = message
        if "row" in message:
            found.rows.append(Row(**message["row"]))
            job.done.append(ended.begun["started"])
            ended.begun = {}
            show(found)


def _lines(process: subprocess.Popen[str]) -> queue.Queue[str | None]:
    """A queue of the process's output lines as they come, then None."""
    lines: queue.Queue[str | None] = queue.Queue()
    assert process.stdout is not None
    out = process.stdout

    def read() -> None:
        for line in out:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
