"""Another front end than the one that ComfyUI comes with, for the browser tests.

PERSONALQ_FRONT_END names it: the folder of an unpacked front end, or "newest" for the newest one
that is tested, which pip downloads once.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from filelock import FileLock

NEWEST = "1.58.1"
"""The newest release of comfyui-frontend-package with which the tests marked `newest` pass."""
_STATIC = "comfyui_frontend_package/static/"


class NoFrontEnd(Exception):
    """The front end cannot be had here; the message says why."""


def front_end_arguments(named: str, cache: Path) -> list[str]:
    """ComfyUI's arguments for the front end that is named; none for its own.

    Raises NoFrontEnd.
    """
    if not named:
        return []
    folder = _newest(cache) if named == "newest" else Path(named)
    if not (folder / "index.html").is_file():
        raise NoFrontEnd(f"no front end in {folder}")
    return ["--front-end-root", str(folder)]


def _newest(cache: Path) -> Path:
    folder = cache / NEWEST
    with FileLock(cache / "lock"):  # the workers of a parallel run come at the same time
        if not folder.is_dir():
            _download(cache, folder)
    return folder / _STATIC


def _download(cache: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--dest", str(cache), f"comfyui-frontend-package=={NEWEST}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    wheel = next(cache.glob(f"comfyui_frontend_package-{NEWEST}-*.whl"), None)
    if wheel is None:
        reason = (done.stderr.strip() or "no wheel").splitlines()[-1]
        raise NoFrontEnd(f"front end {NEWEST} cannot be downloaded: {reason}")
    with zipfile.ZipFile(wheel) as packed:
        static = [name for name in packed.namelist() if name.startswith(_STATIC)]
        packed.extractall(folder, static)
    wheel.unlink()
