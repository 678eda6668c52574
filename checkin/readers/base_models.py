"""One name for each family of base models, from the many that tools write."""

from __future__ import annotations

import re

from .text import plain

_FAMILIES = (
    ("sdxl", r"sdxl|sd[ _-]?xl|stable[ _-]diffusion[ _-]xl|\bpony\b|illustrious|noobai"),
    ("sd35", r"(sd|stable[ _-]diffusion)[ _-]?v?3[.-]5"),
    ("sd3", r"(sd|stable[ _-]diffusion)[ _-]?v?3"),
    ("sd2", r"(sd|stable[ _-]diffusion)[ _-]?v?2"),
    ("sd15", r"(sd|stable[ _-]diffusion)[ _-]?v?1"),
    ("flux2", r"flux[ ._-]?2"),
    ("flux1", r"flux[ ._-]?1|\bflux\b"),
)
_SILENT = frozenset({"", "unknown", "other"})


def family(name: object) -> str | None:
    """The family that `name` belongs to: "sd15" for "SD 1.5", "sd_v1" and "stable-diffusion-v1/lora".

    A name outside the families above becomes one lower-case word ("Wan Video 14B" is "wan-video-14b"); one that says
    nothing ("Unknown") gives None.
    """
    text = plain(str(name)).casefold()
    if text in _SILENT:
        return None
    for known, pattern in _FAMILIES:
        if re.search(pattern, text):
            return known
    return re.sub(r"[^\w.]+", "-", text).strip("-")[:40]
