"""Shows a model's file in the file manager of the machine that ComfyUI runs on."""

from __future__ import annotations

import ntpath
import os
import shutil
import subprocess
import sys


def can_open() -> bool:
    """Whether this machine has a file manager that we know how to call."""
    if sys.platform.startswith("linux"):
        return shutil.which("xdg-open") is not None
    return sys.platform in ("win32", "darwin")


def open_folder(path: str) -> None:
    """Open the folder of a file; where the system can, with the file selected. Raises OSError."""
    subprocess.Popen(
        _command(path, sys.platform),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _command(path: str, platform: str) -> list[str] | str:
    """How the file manager is called; on Windows one text, as Explorer has its own quotes."""
    if platform == "win32":
        return f'explorer /select,"{ntpath.normpath(path)}"'
    if platform == "darwin":
        return ["open", "-R", path]
    return ["xdg-open", os.path.dirname(path)]
