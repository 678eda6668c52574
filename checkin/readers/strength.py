"""The strength at which a LoRA's publisher or user recommends to apply it."""

from __future__ import annotations

import re
from typing import Any

_RANGE = re.compile(r"\s*(-?\d*\.?\d+)\s*(?:-|\u2013|to|,|~)\s*(-?\d*\.?\d+)\s*", re.IGNORECASE)

_NUMBER = r"(?:[01]?\.\d{1,2}|1)"
_RANGE_SAID = (
    rf"(?P<least>{_NUMBER})(?:\s*(?:-|\u2013|~|to|and)\s*(?P<most>{_NUMBER}))?(?![\w%]|\.\d)"
)
_SAID = re.compile(
    rf"\b(?:weights?|strengths?)(?:\s+(?:of|is|at|to|between|around|about|from|set to))*\s*[:=]?\s*"
    rf"{_RANGE_SAID}|(?<![\w.]){_RANGE_SAID.replace('least', 'lower').replace('most', 'upper')}"
    r"\s+(?:weight|strength)\b",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:denois\w*|noise|control\w*|adapter|decay|clip|hires|upscal\w*|prompt|token)\W*$",
    re.IGNORECASE,
)
"""What has a strength besides a LoRA."""
_READ = 2000
"""Letters of a description that are looked at."""


def said_strength(description: str) -> float | None:
    """The first strength that a description says, of a range the middle: "Weight 0.8", "works best
    at a strength of 0.6-0.8". None where it says none.
    """
    text = description[:_READ]
    for found in _SAID.finditer(text):
        least = found["least"] or found["lower"]
        most = found["most"] or found["upper"] or least
        value = _middle(least, most)
        if value and not _OF_OTHERS.search(text[: found.start()]):
            return value
    return None


def recommended_strength(stated: Any, least: Any = None, most: Any = None) -> Any:
    """The strength that is stated, else the middle of the range; None where nothing is said.

    A range may stand in one text, "0.6-0.8", as `least`. A value of 0 means that none was set.
    """
    if isinstance(least, str) and most is None and (found := _RANGE.fullmatch(least)):
        least, most = found.groups()
    return stated or _middle(least, most) or None


def _middle(least: Any, most: Any) -> float | None:
    """The middle of a range; None unless both ends are numbers."""
    try:
        return round((float(least) + float(most)) / 2, 2)
    except (TypeError, ValueError):
        return None
