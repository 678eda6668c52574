"""Start a ComfyUI that lives no longer than the process that started it."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from http.client import HTTPResponse
from pathlib import Path

_UNTIL_INPUT_ENDS = """
import os, runpy, sys, threading

pipe = os.dup(0)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the program's children must not inherit the pipe

def end():
    while os.read(pipe, 4096):
        pass
    os._exit(0)

threading.Thread(target=end, daemon=True).start()
sys.argv = sys.argv[1:]
sys.path.insert(0, os.getcwd())
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a program until its standard input ends."""
_PAST_PROXIES = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def start_comfyui(
    comfyui: Path, arguments: Sequence[str], log_file: Path, python: str | None = None
) -> subprocess.Popen[bytes]:
    """Start ComfyUI from its folder; all it prints goes into `log_file`.

    Its standard input is a pipe from this process, and it ends when that is closed: also, on every
    system, when this process was killed, or was interrupted before it could keep what this returns.
    """
    with log_file.open("wb") as log:
        return subprocess.Popen(
            [python or sys.executable, "-c", _UNTIL_INPUT_ENDS, "main.py", *arguments],
            cwd=comfyui,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            # Worker threads that spin while they wait make everything many times slower on a busy
            # machine.
            env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "PYTHONUNBUFFERED": "1"},
        )


def ask_comfyui(request: str | urllib.request.Request, seconds: float) -> HTTPResponse:
    """Open a request to a ComfyUI of this machine: a proxy of the environment cannot reach it.

    Raises what `urllib.request.urlopen` raises.
    """
    return _PAST_PROXIES.open(request, timeout=seconds)
