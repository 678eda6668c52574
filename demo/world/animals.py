"""Drawings of dog, cat, bear and horse.

Each stands, seen from the side, or sits, seen from the front.
"""

from __future__ import annotations

from .colours import INK, LEAF, SNOW, Tones
from .shapes import Colour, Shape, box, ellipse, line, pair, polygon

Drawing = tuple[Shape, ...]
PINK: Colour = (226, 132, 138)


def dog(pose: str, tone: Tones) -> Drawing:
    """A dog with hanging ears, a long muzzle and a short tail."""
    if pose == "sitting":
        return (
            line(tone.main, 0.07, 0.68, 0.92, 0.86, 0.86, 0.9, 0.74),
            ellipse(tone.main, 0.5, 0.76, 0.22, 0.24),
            *pair(
                ellipse(tone.main, 0.3, 0.92, 0.12, 0.08), box(tone.main, 0.38, 0.68, 0.47, 0.99)
            ),
            ellipse(tone.main, 0.5, 0.36, 0.23, 0.24),
            *pair(
                polygon(
                    tone.dark, 0.36, 0.16, 0.24, 0.2, 0.16, 0.46, 0.22, 0.58, 0.31, 0.48, 0.34, 0.3
                )
            ),
            ellipse(PINK, 0.5, 0.58, 0.045, 0.07),
            ellipse(tone.light, 0.5, 0.47, 0.13, 0.1),
            ellipse(INK, 0.5, 0.42, 0.055, 0.04),
            *pair(ellipse(SNOW, 0.41, 0.3, 0.035, 0.04), ellipse(INK, 0.41, 0.305, 0.024, 0.03)),
        )
    return (
        line(tone.main, 0.06, 0.76, 0.5, 0.88, 0.38, 0.94, 0.24),
        *(box(tone.dark, x, 0.6, x + 0.08, 0.98) for x in (0.34, 0.7)),
        *(box(tone.main, x, 0.6, x + 0.09, 1.0) for x in (0.25, 0.62)),
        ellipse(tone.main, 0.52, 0.56, 0.29, 0.15),
        polygon(tone.main, 0.2, 0.3, 0.38, 0.36, 0.42, 0.6, 0.25, 0.62),
        ellipse(tone.main, 0.24, 0.32, 0.15, 0.13),
        ellipse(tone.light, 0.11, 0.37, 0.12, 0.075),
        ellipse(INK, 0.02, 0.335, 0.035, 0.03),
        polygon(tone.dark, 0.27, 0.2, 0.36, 0.24, 0.39, 0.46, 0.31, 0.52, 0.25, 0.4),
        ellipse(INK, 0.19, 0.28, 0.025, 0.028),
    )


def cat(pose: str, tone: Tones) -> Drawing:
    """A cat with pointed ears, whiskers, green eyes and a long thin tail."""
    whiskers = (line(INK, 0.012, 0.36, 0.4, 0.12, 0.36), line(INK, 0.012, 0.36, 0.44, 0.12, 0.47))
    if pose == "sitting":
        return (
            line(tone.main, 0.06, 0.66, 0.95, 0.88, 0.92, 0.92, 0.7, 0.82, 0.56),
            polygon(tone.main, 0.38, 0.5, 0.62, 0.5, 0.74, 0.8, 0.7, 0.99, 0.3, 0.99, 0.26, 0.8),
            *pair(line(tone.dark, 0.015, 0.45, 0.76, 0.45, 0.98)),
            ellipse(tone.light, 0.5, 0.66, 0.09, 0.12),
            *pair(
                polygon(tone.main, 0.25, 0.36, 0.22, 0.02, 0.46, 0.18),
                polygon(PINK, 0.28, 0.27, 0.26, 0.1, 0.38, 0.18),
            ),
            ellipse(tone.main, 0.5, 0.36, 0.27, 0.21),
            *pair(ellipse(LEAF, 0.39, 0.32, 0.055, 0.05), ellipse(INK, 0.39, 0.32, 0.018, 0.045)),
            polygon(PINK, 0.46, 0.4, 0.54, 0.4, 0.5, 0.45),
            *pair(*whiskers),
        )
    return (
        line(tone.main, 0.05, 0.76, 0.58, 0.9, 0.48, 0.93, 0.3, 0.86, 0.12),
        *(box(tone.dark, x, 0.66, x + 0.06, 0.98) for x in (0.36, 0.7)),
        *(box(tone.main, x, 0.66, x + 0.065, 1.0) for x in (0.29, 0.63)),
        ellipse(tone.main, 0.53, 0.62, 0.27, 0.12),
        polygon(tone.main, 0.1, 0.4, 0.09, 0.16, 0.24, 0.28),
        polygon(tone.main, 0.26, 0.27, 0.4, 0.16, 0.39, 0.4),
        ellipse(tone.main, 0.25, 0.43, 0.18, 0.15),
        *(ellipse(LEAF, x, 0.4, 0.038, 0.04) for x in (0.18, 0.32)),
        *(ellipse(INK, x, 0.4, 0.014, 0.036) for x in (0.18, 0.32)),
        polygon(PINK, 0.22, 0.46, 0.28, 0.46, 0.25, 0.5),
        line(INK, 0.012, 0.18, 0.48, 0.0, 0.45),
        line(INK, 0.012, 0.18, 0.51, 0.0, 0.55),
        line(INK, 0.012, 0.32, 0.48, 0.5, 0.45),
    )


def bear(pose: str, tone: Tones) -> Drawing:
    """A heavy bear with small round ears and a light muzzle."""
    if pose == "sitting":
        return (
            *pair(ellipse(tone.main, 0.19, 0.64, 0.1, 0.16)),
            ellipse(tone.main, 0.5, 0.72, 0.31, 0.27),
            ellipse(tone.light, 0.5, 0.74, 0.18, 0.18),
            *pair(
                ellipse(tone.main, 0.25, 0.9, 0.15, 0.1),
                ellipse(tone.light, 0.24, 0.91, 0.08, 0.055),
            ),
            *pair(
                ellipse(tone.main, 0.28, 0.13, 0.1, 0.1),
                ellipse(tone.light, 0.28, 0.13, 0.05, 0.05),
            ),
            ellipse(tone.main, 0.5, 0.31, 0.28, 0.25),
            ellipse(tone.light, 0.5, 0.4, 0.14, 0.11),
            ellipse(INK, 0.5, 0.36, 0.055, 0.04),
            line(INK, 0.018, 0.5, 0.39, 0.5, 0.45),
            *pair(ellipse(INK, 0.39, 0.26, 0.03, 0.035)),
        )
    return (
        *(box(tone.dark, x, 0.62, x + 0.13, 0.98) for x in (0.38, 0.76)),
        *(box(tone.main, x, 0.62, x + 0.15, 1.0) for x in (0.24, 0.64)),
        ellipse(tone.main, 0.58, 0.53, 0.37, 0.26),
        ellipse(tone.main, 0.36, 0.46, 0.2, 0.22),
        *(ellipse(tone.main, x, 0.2, 0.06, 0.06) for x in (0.13, 0.32)),
        *(ellipse(tone.light, x, 0.2, 0.03, 0.03) for x in (0.13, 0.32)),
        ellipse(tone.main, 0.22, 0.35, 0.18, 0.16),
        ellipse(tone.light, 0.12, 0.42, 0.1, 0.075),
        ellipse(INK, 0.06, 0.39, 0.035, 0.03),
        ellipse(INK, 0.17, 0.31, 0.024, 0.026),
    )


def horse(pose: str, tone: Tones) -> Drawing:
    """A horse with long legs and neck, a mane and a tail of hair; "sitting" draws it lying down."""
    lying = pose == "sitting"
    drop = 0.22 if lying else 0.0
    legs: Drawing = (
        *(
            polygon(tone.dark, x, 0.56, x + 0.07, 0.56, x + 0.055, 0.98, x + 0.005, 0.98)
            for x in (0.38, 0.7)
        ),
        *(
            polygon(tone.main, x, 0.54, x + 0.08, 0.54, x + 0.06, 0.98, x + 0.01, 0.98)
            for x in (0.29, 0.62)
        ),
        *(box(INK, x, 0.95, x + 0.065, 1.0) for x in (0.295, 0.625)),
    )
    if lying:
        legs = (
            line(tone.dark, 0.07, 0.4, 0.92, 0.18, 0.95),
            line(tone.dark, 0.07, 0.7, 0.93, 0.46, 0.97),
        )
    return (
        line(tone.dark, 0.07, 0.79, 0.42 + drop, 0.9, 0.5 + drop, 0.9, 0.74 + drop * 0.8),
        *legs,
        ellipse(tone.main, 0.53, 0.49 + drop, 0.28, 0.14),
        polygon(tone.main, 0.17, 0.12 + drop, 0.3, 0.1 + drop, 0.47, 0.42 + drop, 0.3, 0.56 + drop),
        polygon(
            tone.main,
            0.24,
            0.06 + drop,
            0.31,
            0.18 + drop,
            0.1,
            0.36 + drop,
            0.02,
            0.31 + drop,
            0.14,
            0.12 + drop,
        ),
        polygon(tone.main, 0.22, 0.1 + drop, 0.25, 0.0 + drop, 0.3, 0.1 + drop),
        polygon(
            tone.dark,
            0.25,
            0.05 + drop,
            0.34,
            0.08 + drop,
            0.5,
            0.36 + drop,
            0.47,
            0.44 + drop,
            0.36,
            0.3 + drop,
        ),
        ellipse(INK, 0.18, 0.16 + drop, 0.02, 0.022),
        ellipse(tone.light, 0.06, 0.31 + drop, 0.045, 0.035),
    )
