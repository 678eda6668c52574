"""Find ComfyUI on this machine.

Standard library only: quickstart.py uses it before anything is installed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).absolute().parent
CLONE = ROOT / ".comfyui"
"""The folder into which quickstart.py clones ComfyUI when it finds none."""
COMFYUI_RELEASE = "v0.33.0"
COMFYUI_MINIMUM = (0, 33)


class UnusableComfyUI(ValueError):
    """Raised where the ComfyUI that the user named cannot be used; the message says why."""


def find_comfyui(explicit: Path | None = None) -> Path | None:
    """Return the first usable ComfyUI, or None.

    The order: `explicit`; COMFYUI_PATH; the ComfyUI in whose custom_nodes/ this pack lies;
    ~/ComfyUI; ~/comfy/ComfyUI, where comfy-cli installs it; the clone of quickstart.py. Raises
    UnusableComfyUI when one that was named (`explicit`, COMFYUI_PATH) cannot be used.
    """
    named = explicit or (
        Path(os.environ["COMFYUI_PATH"]) if os.environ.get("COMFYUI_PATH") else None
    )
    if named is not None:
        trouble = unusable(named)
        if trouble:
            raise UnusableComfyUI(f"{named} cannot be used: {trouble}.")
        return named.absolute()
    home = Path(os.path.expanduser("~"))  # where there is none, that is no folder either
    places = [*above(), home / "ComfyUI", home / "comfy" / "ComfyUI", CLONE]
    return next((place for place in places if unusable(place) is None), None)


def above() -> list[Path]:
    """The folders in whose custom_nodes/ this pack lies, also by a link."""
    places = [folder for folder in (ROOT, ROOT.resolve()) if folder.parent.name == "custom_nodes"]
    return [folder.parent.parent for folder in places]


def unusable(place: Path) -> str | None:
    """Return why the pack cannot run in a ComfyUI at `place`; None where it can."""
    version_file = place / "comfyui_version.py"
    if not (place / "main.py").is_file() or not version_file.is_file():
        return "it holds no ComfyUI (no main.py and comfyui_version.py)"
    version = re.search(r'__version__ = "(\d+)\.(\d+)', version_file.read_text(encoding="utf-8"))
    if version is None or (int(version[1]), int(version[2])) < COMFYUI_MINIMUM:
        return f"PersonalQ needs ComfyUI {COMFYUI_RELEASE.removeprefix('v')} or newer"
    return None
