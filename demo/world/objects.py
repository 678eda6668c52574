"""Drawings of person, car, toy, watch, bag, chair, house and flower.

All are seen from the front, the car from the side.
"""

from __future__ import annotations

import math

from .animals import Drawing
from .colours import COLOURS, GLASS, GOLD, INK, LEAF, SKIN, SNOW, STEEL, Tones
from .shapes import Shape, box, ellipse, line, pair, polygon


def person(pose: str, tone: Tones) -> Drawing:
    """A person; the colour is that of the clothes."""
    hair, trousers = (92, 54, 32), (62, 66, 84)
    lower: Drawing = pair(
        box(trousers, 0.39, 0.66, 0.48, 0.95), ellipse(INK, 0.42, 0.97, 0.07, 0.03)
    )
    if pose == "sitting":
        lower = pair(
            line(trousers, 0.11, 0.45, 0.72, 0.3, 0.82, 0.44, 0.93),
            ellipse(INK, 0.4, 0.97, 0.08, 0.035),
        )
    hand = (0.16, 0.3) if pose == "waving" else (0.24, 0.66)
    elbow = (0.2, 0.46) if pose == "waving" else (0.26, 0.5)
    arm = (line(tone.main, 0.085, 0.38, 0.38, *elbow, *hand), ellipse(SKIN, *hand, 0.045, 0.045))
    return (
        *lower,
        *pair(*arm),
        polygon(tone.main, 0.36, 0.32, 0.64, 0.32, 0.68, 0.74, 0.32, 0.74),
        line(tone.dark, 0.015, 0.5, 0.36, 0.5, 0.73),
        ellipse(hair, 0.5, 0.15, 0.15, 0.15),
        box(SKIN, 0.46, 0.24, 0.54, 0.34),
        ellipse(SKIN, 0.5, 0.18, 0.115, 0.125),
        polygon(hair, 0.37, 0.16, 0.4, 0.03, 0.6, 0.03, 0.63, 0.16, 0.54, 0.09),
        *pair(ellipse(INK, 0.455, 0.175, 0.017, 0.02)),
        line((190, 70, 66), 0.018, 0.46, 0.245, 0.5, 0.255, 0.54, 0.245),
    )


def car(pose: str, tone: Tones) -> Drawing:
    """A car; the colour is that of the body."""
    wheels = tuple(
        part
        for x in (0.22, 0.78)
        for part in (ellipse(INK, x, 0.88, 0.115, 0.115), ellipse(STEEL, x, 0.88, 0.055, 0.055))
    )
    return (
        polygon(tone.main, 0.2, 0.62, 0.3, 0.38, 0.68, 0.38, 0.82, 0.62),
        polygon(GLASS, 0.26, 0.6, 0.33, 0.43, 0.47, 0.43, 0.47, 0.6),
        polygon(GLASS, 0.52, 0.6, 0.52, 0.43, 0.65, 0.43, 0.75, 0.6),
        polygon(tone.main, 0.02, 0.66, 0.1, 0.6, 0.86, 0.6, 0.97, 0.68, 0.99, 0.88, 0.01, 0.88),
        line(tone.dark, 0.014, 0.5, 0.62, 0.5, 0.86),
        box(tone.dark, 0.54, 0.68, 0.61, 0.7),
        ellipse(GOLD, 0.95, 0.72, 0.035, 0.04),
        ellipse((190, 40, 40), 0.04, 0.72, 0.025, 0.035),
        *wheels,
    )


def toy(pose: str, tone: Tones) -> Drawing:
    """A tin robot."""
    arms = (
        line(STEEL, 0.07, 0.3, 0.56, 0.14, 0.62, 0.12, 0.76),
        ellipse(tone.dark, 0.12, 0.79, 0.055, 0.055),
    )
    if pose == "waving":
        arms = (
            line(STEEL, 0.07, 0.3, 0.56, 0.14, 0.46, 0.12, 0.3),
            ellipse(tone.dark, 0.12, 0.27, 0.055, 0.055),
        )
    return (
        line(STEEL, 0.03, 0.5, 0.16, 0.5, 0.05),
        ellipse(GOLD, 0.5, 0.04, 0.04, 0.04),
        *pair(box(STEEL, 0.33, 0.82, 0.44, 0.94), box(tone.dark, 0.28, 0.92, 0.46, 1.0), *arms),
        box(tone.main, 0.27, 0.48, 0.73, 0.84),
        box(tone.main, 0.31, 0.14, 0.69, 0.44),
        box(STEEL, 0.43, 0.44, 0.57, 0.48),
        *pair(ellipse(SNOW, 0.41, 0.26, 0.06, 0.06), ellipse(INK, 0.41, 0.26, 0.028, 0.028)),
        box(INK, 0.39, 0.36, 0.61, 0.4),
        box(tone.light, 0.37, 0.56, 0.63, 0.74),
        ellipse(COLOURS["red"], 0.44, 0.65, 0.035, 0.035),
        ellipse(GOLD, 0.56, 0.65, 0.035, 0.035),
    )


def watch(pose: str, tone: Tones) -> Drawing:
    """A watch; the colour is that of the strap and the dial's rim."""
    ticks = tuple(
        line(INK, 0.02, *(0.5 + r * f(turn) for r in (0.15, 0.2) for f in (math.cos, math.sin)))
        for turn in (k * math.pi / 6 for k in range(12))
    )
    return (
        polygon(tone.main, 0.38, 0.0, 0.62, 0.0, 0.67, 0.3, 0.33, 0.3),
        polygon(tone.main, 0.33, 0.7, 0.67, 0.7, 0.62, 1.0, 0.38, 1.0),
        *(line(tone.dark, 0.016, 0.4, y, 0.6, y) for y in (0.06, 0.13, 0.87, 0.94)),
        box(STEEL, 0.76, 0.46, 0.84, 0.54),
        ellipse(STEEL, 0.5, 0.5, 0.3, 0.3),
        ellipse(tone.main, 0.5, 0.5, 0.26, 0.26),
        ellipse((236, 234, 224), 0.5, 0.5, 0.215, 0.215),
        *ticks,
        line(INK, 0.028, 0.5, 0.5, 0.5, 0.35),
        line(INK, 0.028, 0.5, 0.5, 0.61, 0.56),
    )


def bag(pose: str, tone: Tones) -> Drawing:
    """A handbag with a flap."""
    arc = [
        (0.5 - 0.21 * math.cos(t), 0.4 - 0.34 * math.sin(t))
        for t in (k * math.pi / 10 for k in range(11))
    ]
    return (
        line(tone.dark, 0.05, *(number for point in arc for number in point)),
        polygon(tone.main, 0.18, 0.38, 0.82, 0.38, 0.94, 0.98, 0.06, 0.98),
        polygon(tone.dark, 0.18, 0.38, 0.82, 0.38, 0.78, 0.6, 0.5, 0.68, 0.22, 0.6),
        box(GOLD, 0.45, 0.6, 0.55, 0.72),
        line(tone.light, 0.014, 0.1, 0.93, 0.9, 0.93),
    )


def chair(pose: str, tone: Tones) -> Drawing:
    """A chair, seen from the front and a little from above."""
    return (
        *pair(box(tone.dark, 0.27, 0.6, 0.33, 0.9)),
        *pair(box(tone.main, 0.22, 0.02, 0.3, 0.62)),
        box(tone.main, 0.22, 0.04, 0.78, 0.13),
        box(tone.main, 0.22, 0.24, 0.78, 0.32),
        *pair(line(tone.main, 0.03, 0.42, 0.1, 0.42, 0.28)),
        *pair(box(tone.main, 0.14, 0.64, 0.22, 1.0)),
        polygon(tone.light, 0.24, 0.5, 0.76, 0.5, 0.88, 0.64, 0.12, 0.64),
        box(tone.main, 0.12, 0.64, 0.88, 0.71),
    )


def house(pose: str, tone: Tones) -> Drawing:
    """A house; the colour is that of the walls."""
    roof = (112, 62, 48)
    window = (box(GLASS, 0.2, 0.56, 0.36, 0.72), line(INK, 0.014, 0.28, 0.56, 0.28, 0.72))
    return (
        box((128, 84, 72), 0.68, 0.08, 0.79, 0.36),
        box(tone.main, 0.12, 0.42, 0.88, 1.0),
        polygon(roof, 0.02, 0.45, 0.5, 0.04, 0.98, 0.45),
        ellipse(GLASS, 0.5, 0.3, 0.065, 0.065),
        *pair(*window),
        box((74, 48, 34), 0.42, 0.66, 0.58, 1.0),
        ellipse(GOLD, 0.55, 0.84, 0.015, 0.015),
    )


def flower(pose: str, tone: Tones) -> Drawing:
    """A flower; the colour is that of the petals."""
    return (
        line(LEAF, 0.05, 0.5, 1.0, 0.49, 0.7, 0.5, 0.4),
        polygon(LEAF, 0.5, 0.86, 0.36, 0.68, 0.16, 0.64, 0.26, 0.82),
        polygon(LEAF, 0.5, 0.92, 0.64, 0.74, 0.84, 0.7, 0.74, 0.88),
        *(_petal(tone, k * math.tau / 7) for k in range(7)),
        ellipse((120, 74, 28) if tone.main == COLOURS["yellow"] else GOLD, 0.5, 0.32, 0.1, 0.1),
    )


def _petal(tone: Tones, turn: float) -> Shape:
    return ellipse(
        tone.main, 0.5 + 0.19 * math.sin(turn), 0.32 - 0.19 * math.cos(turn), 0.115, 0.115
    )
