"""`personalq serve` as a person starts it, for tests with a real Ray and real ComfyUIs."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import requests
from filelock import FileLock

from personalq.demo.host_process import free_port

PATIENCE = 150.0
ALONE = FileLock(Path(tempfile.gettempdir()) / "personalq-tests-serve.lock")
"""Held while a service runs: the memory is not enough for those of two workers at once, and Ray
ends what runs where it is short.
"""


class Service:
    """`personalq serve` as a person starts it."""

    def __init__(self, comfyui: Path, models: Path, state: Path, painters: int, *more: str):
        self.state = state
        self.command = [sys.executable, "-P", "-m", "personalq", "serve", "--device", "cpu"]
        self.command += ["--models", str(models), "--comfyui", str(comfyui)]
        self.command += ["--state", str(state), "--settings", str(state), "--cores", "0.5"]
        self.command += more
        self._choose_port()
        self.start(painters)

    def _choose_port(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self, painters: int) -> None:
        ALONE.acquire()
        self.log = (self.state / "serve.log").open("ab")
        self._run(painters)
        if self.process.poll() is not None and "Failed to bind to address" in self.said:
            self.log.write(b"=" * 20 + b"\n")
            self.log.flush()
            self._choose_port()  # another test took the port in between
            self._run(painters)
        if self.process.poll() is not None:
            said = self.said
            self.stop()
            raise AssertionError(said)

    def _run(self, painters: int) -> None:
        """Start the process; returns when it is ready or has ended."""
        self.process = subprocess.Popen(
            [*self.command, "--port", str(self.port), "--painters", str(painters)],
            cwd=self.state,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None or "Ctrl+C ends it" in self.said:
                return
            time.sleep(0.2)
        said = self.said
        self.stop()
        raise AssertionError(said)

    @property
    def said(self) -> str:
        """What it printed since it was started last."""
        text = (self.state / "serve.log").read_text("utf-8", "replace")
        return text[text.rfind("=" * 20) + 1 :]

    def ask(self, request: str, **more: Any) -> dict[str, Any]:
        answer = requests.post(f"{self.url}/v1/requests", json={"request": request, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def finished(self, job: str) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = requests.get(f"{self.url}/v1/jobs/{job}").json()
            if found["state"] in ("done", "failed"):
                return found
            time.sleep(0.1)
        raise AssertionError(found)

    def picture(self, job: str) -> bytes:
        answer = requests.get(f"{self.url}/v1/jobs/{job}/picture")
        assert answer.headers["content-type"] == "image/png", answer.text
        return answer.content

    def comfyuis(self) -> list[int]:
        """Process ids of the ComfyUIs of this service."""
        found = subprocess.run(["pgrep", "-f", str(self.state)], capture_output=True, text=True)
        return [
            int(one)
            for one in found.stdout.split()
            if b"--models-directory" in Path(f"/proc/{one}/cmdline").read_bytes()
        ]

    def stop(self) -> None:
        try:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
            self.log.write(b"=" * 20 + b"\n")
            self.log.close()
        finally:
            ALONE.release()
