"""Simple drawings as data: shapes on a square of side 1, painted in order."""

from __future__ import annotations

from typing import NamedTuple

Colour = tuple[int, int, int]


class Shape(NamedTuple):
    """An ellipse (centre x, y and half axes), a polygon (corners), or a line (points)."""

    kind: str
    """"ellipse", "polygon" or "line"."""
    colour: Colour
    numbers: tuple[float, ...]


BROWN, TAN, CREAM, BLACK, PINK = (139, 90, 52), (176, 124, 74), (240, 220, 186), (35, 28, 28), (222, 130, 130)
GREY, STEEL, BLUE, RED, GREEN = (150, 152, 160), (186, 192, 200), (60, 96, 160), (190, 70, 56), (74, 132, 70)
SKIN, AUBURN, YELLOW, WALL, WHITE = (236, 196, 168), (134, 62, 36), (246, 206, 84), (232, 214, 180), (245, 245, 245)


def _ellipse(colour: Colour, x: float, y: float, a: float, b: float) -> Shape:
    return Shape("ellipse", colour, (x, y, a, b))


def _polygon(colour: Colour, *numbers: float) -> Shape:
    return Shape("polygon", colour, numbers)


def _line(colour: Colour, *numbers: float) -> Shape:
    return Shape("line", colour, numbers)


def _pair(shape: Shape) -> tuple[Shape, Shape]:
    """A shape and its mirror image."""
    if shape.kind == "ellipse":
        x, *rest = shape.numbers
        mirrored = (1 - x, *rest)
    else:
        mirrored = tuple(1 - n if i % 2 == 0 else n for i, n in enumerate(shape.numbers))
    return shape, shape._replace(numbers=mirrored)


_HOUSE = (
    _polygon(RED, 0.66, 0.14, 0.76, 0.14, 0.76, 0.4, 0.66, 0.4),
    _polygon(WALL, 0.2, 0.45, 0.8, 0.45, 0.8, 0.86, 0.2, 0.86),
    _polygon(RED, 0.12, 0.47, 0.5, 0.14, 0.88, 0.47),
    _polygon(BROWN, 0.44, 0.6, 0.56, 0.6, 0.56, 0.86, 0.44, 0.86),
    *_pair(_polygon(BLUE, 0.26, 0.54, 0.38, 0.54, 0.38, 0.67, 0.26, 0.67)),
    *_pair(_line(BLACK, 0.32, 0.54, 0.32, 0.67)),
    *_pair(_line(BLACK, 0.26, 0.605, 0.38, 0.605)),
)
_FLOWERS = tuple(
    shape
    for x in (0.1, 0.24, 0.36, 0.64, 0.76, 0.9)
    for shape in (
        _line(GREEN, x, 0.94, x, 0.82),
        _ellipse(PINK, x, 0.79, 0.035, 0.035),
        _ellipse(RED, x, 0.79, 0.012, 0.012),
    )
)

SPRITES: dict[str, tuple[Shape, ...]] = {
    "bear": (
        *_pair(_ellipse(BROWN, 0.27, 0.27, 0.13, 0.13)),
        *_pair(_ellipse(CREAM, 0.27, 0.27, 0.07, 0.07)),
        _ellipse(BROWN, 0.5, 0.52, 0.34, 0.32),
        _ellipse(CREAM, 0.5, 0.64, 0.17, 0.14),
        *_pair(_ellipse(BLACK, 0.37, 0.46, 0.04, 0.045)),
        _ellipse(BLACK, 0.5, 0.58, 0.06, 0.04),
        _line(BLACK, 0.5, 0.62, 0.5, 0.68, 0.43, 0.72),
        _line(BLACK, 0.5, 0.68, 0.57, 0.72),
    ),
    "dog": (
        _ellipse(TAN, 0.5, 0.5, 0.29, 0.31),
        *_pair(_polygon(BROWN, 0.3, 0.22, 0.14, 0.3, 0.1, 0.62, 0.2, 0.7, 0.29, 0.48)),
        _ellipse(PINK, 0.5, 0.79, 0.06, 0.09),
        _ellipse(CREAM, 0.5, 0.66, 0.16, 0.13),
        *_pair(_ellipse(BLACK, 0.39, 0.45, 0.038, 0.045)),
        _ellipse(BLACK, 0.5, 0.59, 0.07, 0.05),
        _line(BLACK, 0.5, 0.64, 0.5, 0.71, 0.42, 0.74),
        _line(BLACK, 0.5, 0.71, 0.58, 0.74),
    ),
    "cat": (
        *_pair(_polygon(GREY, 0.22, 0.48, 0.2, 0.14, 0.46, 0.28)),
        *_pair(_polygon(PINK, 0.26, 0.38, 0.25, 0.22, 0.38, 0.29)),
        _ellipse(GREY, 0.5, 0.54, 0.32, 0.28),
        *_pair(_ellipse(YELLOW, 0.37, 0.48, 0.065, 0.06)),
        *_pair(_ellipse(BLACK, 0.37, 0.48, 0.02, 0.055)),
        _polygon(PINK, 0.45, 0.6, 0.55, 0.6, 0.5, 0.66),
        _line(BLACK, 0.42, 0.73, 0.5, 0.67, 0.58, 0.73),
        *_pair(_line(BLACK, 0.4, 0.64, 0.1, 0.58)),
        *_pair(_line(BLACK, 0.4, 0.67, 0.1, 0.69)),
    ),
    "house in april": _HOUSE,
    "house in may": (*_HOUSE, *_FLOWERS),
    "watch": (
        _polygon(BROWN, 0.38, 0.04, 0.62, 0.04, 0.66, 0.3, 0.34, 0.3),
        _polygon(BROWN, 0.34, 0.7, 0.66, 0.7, 0.62, 0.96, 0.38, 0.96),
        _polygon(STEEL, 0.77, 0.46, 0.84, 0.46, 0.84, 0.54, 0.77, 0.54),
        _ellipse(STEEL, 0.5, 0.5, 0.3, 0.3),
        _ellipse(BLUE, 0.5, 0.5, 0.24, 0.24),
        _line(WHITE, 0.5, 0.29, 0.5, 0.34),
        _line(WHITE, 0.5, 0.66, 0.5, 0.71),
        *_pair(_line(WHITE, 0.29, 0.5, 0.34, 0.5)),
        _line(WHITE, 0.5, 0.5, 0.5, 0.37),
        _line(WHITE, 0.5, 0.5, 0.61, 0.56),
    ),
    "person": (
        _ellipse(AUBURN, 0.5, 0.46, 0.29, 0.36),
        _polygon(BLUE, 0.14, 0.97, 0.24, 0.84, 0.42, 0.78, 0.58, 0.78, 0.76, 0.84, 0.86, 0.97),
        _polygon(SKIN, 0.43, 0.66, 0.57, 0.66, 0.58, 0.8, 0.5, 0.86, 0.42, 0.8),
        _ellipse(SKIN, 0.5, 0.48, 0.2, 0.25),
        _polygon(AUBURN, 0.29, 0.46, 0.31, 0.26, 0.5, 0.17, 0.69, 0.26, 0.71, 0.46, 0.6, 0.32, 0.42, 0.33),
        *_pair(_ellipse(WHITE, 0.42, 0.48, 0.038, 0.024)),
        *_pair(_ellipse(BLACK, 0.42, 0.48, 0.018, 0.02)),
        _line(AUBURN, 0.5, 0.49, 0.48, 0.56, 0.51, 0.57),
        _line(RED, 0.44, 0.635, 0.5, 0.65, 0.56, 0.635),
    ),
    "tree": (
        _ellipse(YELLOW, 0.82, 0.18, 0.1, 0.1),
        _polygon(GREEN, 0.0, 0.82, 1.0, 0.82, 1.0, 1.0, 0.0, 1.0),
        _polygon(BROWN, 0.44, 0.55, 0.56, 0.55, 0.58, 0.86, 0.42, 0.86),
        *_pair(_ellipse(GREEN, 0.36, 0.46, 0.17, 0.15)),
        _ellipse(GREEN, 0.5, 0.32, 0.2, 0.19),
        _ellipse(RED, 0.42, 0.36, 0.035, 0.035),
        _ellipse(RED, 0.58, 0.46, 0.035, 0.035),
    ),
}
