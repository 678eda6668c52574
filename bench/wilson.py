"""The confidence interval of a proportion."""

from __future__ import annotations

from math import sqrt

Z = 1.959964
"""The normal quantile for 95 %."""


def wilson(count: int, of: int, z: float = Z) -> tuple[float, float]:
    """Return the ends of Wilson's score interval (1927) of `count` out of `of`.

    The interval is (0, 1) where `of` is 0.
    """
    if not of:
        return 0.0, 1.0
    share, spread = count / of, z * z / of
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / of + spread / of / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
