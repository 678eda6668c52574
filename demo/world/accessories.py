"""Hat, scarf and glasses, drawn at a subject's head.

Where the head is depends on the subject and its pose.
"""

from __future__ import annotations

from typing import NamedTuple

from .animals import Drawing
from .colours import COLOURS, GOLD, INK
from .shapes import box, ellipse, line, place, polygon

ACCESSORIES = ("hat", "scarf", "glasses")


class Head(NamedTuple):
    """Where a subject wears accessories.

    The centres (x, y) of crown, eyes and neck, and the head's width.
    """

    crown: tuple[float, float]
    eyes: tuple[float, float]
    neck: tuple[float, float]
    width: float


HEADS: dict[tuple[str, str], Head] = {
    ("dog", "standing"): Head((0.25, 0.21), (0.2, 0.28), (0.31, 0.5), 0.26),
    ("dog", "sitting"): Head((0.5, 0.14), (0.5, 0.3), (0.5, 0.62), 0.36),
    ("cat", "standing"): Head((0.25, 0.3), (0.25, 0.4), (0.31, 0.57), 0.28),
    ("cat", "sitting"): Head((0.5, 0.17), (0.5, 0.32), (0.5, 0.57), 0.42),
    ("bear", "standing"): Head((0.22, 0.21), (0.18, 0.31), (0.32, 0.53), 0.3),
    ("bear", "sitting"): Head((0.5, 0.08), (0.5, 0.26), (0.5, 0.56), 0.44),
    ("person", "standing"): Head((0.5, 0.05), (0.5, 0.175), (0.5, 0.33), 0.26),
    ("person", "waving"): Head((0.5, 0.05), (0.5, 0.175), (0.5, 0.33), 0.26),
    ("person", "sitting"): Head((0.5, 0.05), (0.5, 0.175), (0.5, 0.33), 0.26),
    ("toy", "standing"): Head((0.5, 0.15), (0.5, 0.26), (0.5, 0.46), 0.4),
    ("toy", "waving"): Head((0.5, 0.15), (0.5, 0.26), (0.5, 0.46), 0.4),
}


def accessory(name: str, head: Head) -> Drawing:
    """Draw the accessory of that name (one of ACCESSORIES) on a head."""
    if name == "hat":
        return place(_HAT, *head.crown, head.width)
    if name == "glasses":
        return place(_GLASSES, *head.eyes, head.width)
    return place(_SCARF, *head.neck, head.width * 1.2)


_HAT = (
    box(INK, 0.2, 0.25, 0.8, 0.95),
    box(GOLD, 0.2, 0.76, 0.8, 0.88),
    ellipse(INK, 0.5, 0.98, 0.62, 0.1),
)
_GLASSES = (
    line(INK, 0.08, 0.0, 0.95, 1.0, 0.95),
    ellipse(INK, 0.24, 1.02, 0.2, 0.19),
    ellipse(INK, 0.76, 1.02, 0.2, 0.19),
)
_SCARF = (
    box((236, 130, 40), 0.08, 0.8, 0.92, 1.06),
    polygon((236, 130, 40), 0.6, 1.0, 0.82, 1.0, 0.9, 1.55, 0.68, 1.55),
    *(line(COLOURS["white"], 0.07, x, 0.82, x, 1.04) for x in (0.25, 0.5, 0.75)),
    line(COLOURS["white"], 0.07, 0.68, 1.35, 0.88, 1.35),
)
