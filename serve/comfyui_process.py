"""One headless ComfyUI with the pack, which lives as long as the process that started it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from platform import node
from typing import Any

import psutil

from ..checkin.user.preferences import OFF, load_preferences, save_preferences
from ..ray_cluster import PACK, link_folder
from ..start_comfyui import ask_comfyui, start_comfyui
from .plan import Plan

START_SECONDS = 300.0
_TAIL = 15
_KEPT = 86_400.0
"""Seconds for which the log of a painter that was killed stays."""


class NotStarted(RuntimeError):
    """ComfyUI did not start; the message has the end of its log."""


class ComfyUI:
    """A ComfyUI process on a port of its own, with its own base directory.

    The painters of one machine share ComfyUI's user folder, and with it one index of models: each
    opens what one of them has read.
    """

    def __init__(self, plan: Plan):
        """Start it and wait until it answers. Raises NotStarted."""
        work = Path(plan.work or plan.state).absolute()
        work.mkdir(parents=True, exist_ok=True)
        _sweep(work)
        self._plan, self._user = plan, work / "user"
        self.follow_settings()
        self.folder = Path(tempfile.mkdtemp(prefix=f"painter-{node()}-{os.getpid()}-", dir=work))
        nodes = self.folder / "custom_nodes"
        for name in ("custom_nodes", "input", "output", "temp"):
            (self.folder / name).mkdir()
        link_folder(PACK, nodes / "personalq")
        port = _free_port()
        self.address = f"127.0.0.1:{port}"
        self._log = self.folder / "comfyui.log"
        command = ["--listen", "127.0.0.1", "--port", str(port), "--disable-auto-launch"]
        command += ["--base-directory", str(self.folder)]
        command += ["--user-directory", str(self._user)]
        command += ["--models-directory", str(Path(plan.models).resolve())]
        command += ["--database-url", f"sqlite:///{self.folder / 'comfyui.db'}"]
        command += ["--cpu"] if plan.device == "cpu" else []
        self.process = start_comfyui(Path(plan.comfyui), command, self._log, plan.python)
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def follow_settings(self) -> None:
        """Give ComfyUI what the user's settings say of models. It reads that at each run."""
        ours = self._user / "__personalq"  # where ComfyUI keeps what no page can read
        there, wanted = load_preferences(ours), _settings(self._plan)
        if replace(there, **wanted) != there:
            save_preferences(ours, wanted)

    def tail(self) -> str:
        """The end of its log."""
        text = self._log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-_TAIL:])

    def stop(self) -> None:
        """End it, and remove its folder."""
        self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
        _remove(self.folder)

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if not self.running:
                code = self.process.returncode
                raise NotStarted(f"ComfyUI did not start (exit code {code}).\n{self.tail()}")
            try:
                with ask_comfyui(f"http://{self.address}/system_stats", 5):
                    return
            except OSError:
                time.sleep(0.2)
        raise NotStarted(f"ComfyUI did not answer in {START_SECONDS:.0f} s.\n{self.tail()}")


def _sweep(work: Path) -> None:
    """Remove the folders of painters of this machine that were killed more than a day ago."""
    ours = re.compile(rf"painter-{re.escape(node())}-(\d+)-\w+")
    for folder in work.iterdir():
        ended = (named := ours.fullmatch(folder.name)) and not psutil.pid_exists(int(named[1]))
        with suppress(OSError):  # another painter removes it
            if ended and time.time() - folder.stat().st_mtime > _KEPT:
                _remove(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # what the links in it lead to stays


def _settings(plan: Plan) -> dict[str, Any]:
    """Those of all painters: the user's choice of bases and folders, and no history.

    A shared index has the models that it has, whatever the settings leave out.
    """
    said = load_preferences(Path(plan.settings) if plan.settings else None)
    left_out = () if plan.shared_index else said.leave_out
    return {"history": False, "embedder": OFF, "bases": said.bases, "leave_out": left_out}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
