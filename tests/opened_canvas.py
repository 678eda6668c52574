"""Run `python quickstart.py open` as a process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from personalq import quickstart
from personalq.ray_cluster import link_folder

PROGRAM = Path(quickstart.__file__)
READY = "Ctrl+C ends it."
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+\S*")


class OpenedCanvas:
    """The process, in a process group of its own, which on a terminal gets Ctrl+C as a whole."""

    def __init__(self, comfyui: Path, demo: Path, folder: Path):
        folder.mkdir(exist_ok=True)
        link_folder(demo, folder / "demo")
        self._said = folder / "said.txt"
        command = [sys.executable, PROGRAM, "open", "--no-install", "--no-browser"]
        command += ["--comfyui", comfyui, "--out", folder]
        group = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, **group
            )

    @property
    def said(self) -> str:
        """What it has printed so far."""
        return self._said.read_text(encoding="utf-8", errors="replace")

    @property
    def address(self) -> str:
        """The address that it has printed."""
        return ADDRESS.search(self.said)[0]

    def wait_until_said(self, text: str, seconds: float = 240) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.1)


@contextmanager
def opened_canvas(comfyui: Path, demo: Path, folder: Path) -> Iterator[OpenedCanvas]:
    """Starts it, and ends it when the test did not."""
    opened = OpenedCanvas(comfyui, demo, folder)
    try:
        yield opened
    finally:
        opened.process.terminate()
        opened.process.wait(timeout=60)
