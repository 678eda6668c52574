"""Drawings as data: filled polygons and polylines, painted in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
Points = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """A polygon; a line if it has a width.

    Coordinates: x to the right, y down; the drawing's box is 0 to 1.
    """

    points: Points
    """Corners or points [n, 2]."""
    colour: Colour
    width: float = 0.0
    """Width of a line, as a share of the box; 0 for a filled polygon."""

    @property
    def filled(self) -> bool:
        """Whether it is a filled polygon."""
        return self.width == 0


def polygon(colour: Colour, *numbers: float) -> Shape:
    """Return a filled polygon; `numbers` are x, y of each corner in turn."""
    return Shape(np.array(numbers).reshape(-1, 2), colour)


def line(colour: Colour, width: float, *numbers: float) -> Shape:
    """Return a polyline; `numbers` are x, y of each point in turn."""
    return Shape(np.array(numbers).reshape(-1, 2), colour, width)


def ellipse(colour: Colour, x: float, y: float, a: float, b: float) -> Shape:
    """Return an ellipse with centre (x, y) and half axes a and b."""
    turn = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    return Shape(np.stack([x + a * np.cos(turn), y + b * np.sin(turn)], axis=1), colour)


def box(colour: Colour, left: float, top: float, right: float, bottom: float) -> Shape:
    """Return an axis-parallel rectangle."""
    return polygon(colour, left, top, right, top, right, bottom, left, bottom)


def pair(*shapes: Shape) -> tuple[Shape, ...]:
    """Return each shape, followed by its mirror image about x = 0.5."""
    return tuple(side for shape in shapes for side in (shape, _mirror(shape)))


def place(
    shapes: Iterable[Shape], x: float, y: float, size: float, degrees: float = 0.0
) -> tuple[Shape, ...]:
    """Move the middle of the drawing's lower edge to (x, y), and scale its box to `size`.

    The drawing is also rotated by `degrees`.
    """
    angle = np.deg2rad(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def moved(shape: Shape) -> Shape:
        points = shape.points - (0.5, 1.0)
        return replace(shape, points=points @ turn.T * size + (x, y), width=shape.width * size)

    return tuple(moved(shape) for shape in shapes)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Mix two colours: `share` of b, the rest of a."""
    red, green, blue = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return red, green, blue


def _mirror(shape: Shape) -> Shape:
    return replace(shape, points=shape.points * (-1, 1) + (1, 0))
