"""The check that ComfyUI is new enough for the nodes."""

from __future__ import annotations

import re


def require_host(least: tuple[int, int], version: str | None = None) -> None:
    """Raise RuntimeError with a one-sentence message if ComfyUI is older than `least`.

    `version` None = the version that is running.
    """
    if version is None:
        import comfyui_version

        version = comfyui_version.__version__
    parts = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if parts < least:
        needed = ".".join(map(str, least))
        raise RuntimeError(
            f"PersonalQ needs ComfyUI {needed} or newer and this is {version}: update ComfyUI."
        )
