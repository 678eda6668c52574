"""Where ComfyUI is on this machine.

Standard library only: quickstart.py uses it before anything is installed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).absolute().parent
CLONE = ROOT / ".comfyui"
"""Where quickstart.py clones ComfyUI to when none is found."""
COMFYUI_RELEASE = "v0.33.0"
COMFYUI_MINIMUM = (0, 33)


class UnusableComfyUI(ValueError):
    """The ComfyUI that was named cannot be used, and why."""


def find_comfyui(explicit: Path | None = None) -> Path | None:
    """The first usable ComfyUI: `explicit`, COMFYUI_PATH, above custom_nodes/, ~/ComfyUI,
    comfy-cli's place, our clone.

    Raises UnusableComfyUI when the one that was named (`explicit`, COMFYUI_PATH) cannot be used.
    """
    named = explicit or (
        Path(os.environ["COMFYUI_PATH"]) if os.environ.get("COMFYUI_PATH") else None
    )
    if named is not None:
        trouble = unusable(named)
        if trouble:
            raise UnusableComfyUI(f"{named} cannot be used: {trouble}.")
        return named.absolute()
    above = [
        folder.parent.parent
        for folder in (ROOT, ROOT.resolve())
        if folder.parent.name == "custom_nodes"
    ]
    home = Path.home()
    places = [*above, home / "ComfyUI", home / "comfy" / "ComfyUI", CLONE]
    return next((place for place in places if unusable(place) is None), None)


def unusable(place: Path) -> str | None:
    """Why `place` is no ComfyUI that the pack runs in; None when it is one."""
    version_file = place / "comfyui_version.py"
    if not (place / "main.py").is_file() or not version_file.is_file():
        return "it holds no ComfyUI (no main.py and comfyui_version.py)"
    version = re.search(r'__version__ = "(\d+)\.(\d+)', version_file.read_text(encoding="utf-8"))
    if version is None or (int(version[1]), int(version[2])) < COMFYUI_MINIMUM:
        return f"PersonalQ needs ComfyUI {COMFYUI_RELEASE.removeprefix('v')} or newer"
    return None
