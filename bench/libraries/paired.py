"""The difference between two selectors that answered the same requests."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..wilson import Z
from .run import Result


def paired(one: Result, other: Result) -> dict[str, Any]:
    """Return by how much the second is right more often, as a share of the requests.

    `lost`, `gained`: the requests where only the first, or only the second, is right. `interval`:
    Wald's 95 % interval for a difference of paired proportions (Agresti, 2013, section 11.1).
    """
    both = [
        (own.verdict == "right", its.verdict == "right")
        for own, its in zip(one.judged, other.judged, strict=True)
    ]
    lost, gained = both.count((True, False)), both.count((False, True))
    difference = (gained - lost) / len(both)
    half = Z * sqrt(lost + gained - (gained - lost) * difference) / len(both)
    return {
        "method": other.method,
        "lost": lost,
        "gained": gained,
        "difference": difference,
        "interval": (difference - half, difference + half),
    }
