"""`personalq serve` as a process, and clients that ask it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...demo.host_process import free_port

_START_SECONDS = 600.0
_LONGEST_WAIT = 600.0
"""Seconds without news of a job."""


@dataclass(frozen=True)
class Asked:
    """One request, and what became of it."""

    model: str
    """The model that it names."""
    drawn: tuple[str, ...]
    """The models that drew it; () if it failed."""
    seconds: float


@contextmanager
def service(
    comfyui: Path, models: Path, state: Path, options: Sequence[str]
) -> Iterator[tuple[str, int]]:
    """A running service: its address and its process id. Raises RuntimeError."""
    state.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-P", "-m", "personalq", "serve", "--port", str(free_port())]
    command += ["--models", str(models), "--comfyui", str(comfyui), "--state", str(state)]
    command += ["--settings", str(state), "--waiting", "1000", "--json", *options]
    log = state / "serve.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=state)
        stop = threading.Timer(_START_SECONDS, process.kill)
        stop.start()
        try:
            assert process.stdout
            for line in process.stdout:
                if line.startswith(b'{"address"'):
                    break
            else:
                raise RuntimeError(f"the service did not start: {log} says why")
            stop.cancel()
            yield json.loads(line)["address"], process.pid
        finally:
            stop.cancel()
            process.send_signal(signal.SIGTERM)
            process.wait(120)


def ask_all(url: str, requests: Sequence[tuple[str, str]], clients: int, side: int) -> list[Asked]:
    """Ask (request, name of its model) with so many clients, each waiting for its picture."""

    def one(numbered: tuple[int, tuple[str, str]]) -> Asked:
        seed, (request, model) = numbered
        started = time.perf_counter()
        body = {"request": request, "seed": seed, "size": {"width": side, "height": side}}
        job = _call(f"{url}/v1/requests", body).get("job")
        while job and job["state"] not in ("done", "failed"):
            job = _watched(f"{url}/v1/jobs/{job['id']}/events")
        drawn = tuple(job["models"]) if job and job["state"] == "done" else ()
        return Asked(model, drawn, time.perf_counter() - started)

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(one, enumerate(requests)))


def _watched(address: str) -> dict[str, Any]:
    """The job as its last event told it. Looking again and again would take the painters' cores."""
    with urllib.request.urlopen(address, timeout=_LONGEST_WAIT) as events:
        told = [line for line in events if line.startswith(b"data: ")]
    return dict(json.loads(told[-1].removeprefix(b"data: ")))


def _call(address: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """The JSON answer; asked again after `Retry-After` where the service is busy."""
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise RuntimeError(f"{error.code}: {error.read().decode()}") from error
            time.sleep(int(error.headers.get("Retry-After", "1")))
