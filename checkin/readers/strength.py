"""The strength at which a LoRA's publisher or user recommends to apply it."""

from __future__ import annotations

import re
from typing import Any

_RANGE = re.compile(r"\s*(-?\d*\.?\d+)\s*(?:-|\u2013|to|,|~)\s*(-?\d*\.?\d+)\s*", re.IGNORECASE)


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
