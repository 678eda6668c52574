"""Ten places, drawn as shapes over the whole picture.

Sky or wall come first, then the things in front of them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sin

import numpy as np
from numpy.random import Generator

from .animals import Drawing
from .colours import SNOW
from .shapes import Colour, Shape, box, ellipse, line, mix, polygon

SKY: Colour = (150, 200, 240)
GRASS: Colour = (110, 176, 72)


def grass(rng: Generator, horizon: float) -> Drawing:
    """A meadow with tufts and clouds."""
    tufts = tuple(
        line(
            (62, 124, 44),
            0.014,
            x - 0.025,
            y,
            x - 0.035,
            y - 0.05,
            x,
            y,
            x,
            y - 0.065,
            x + 0.025,
            y,
            x + 0.035,
            y - 0.05,
        )
        for x, y in _scatter(rng, 12, horizon + 0.08, 1.0)
    )
    cloud = rng.uniform(0.15, 0.85)
    clouds = tuple(ellipse(SNOW, cloud + dx, 0.14, 0.11, 0.055) for dx in (-0.09, 0.0, 0.1))
    return (*_two(SKY, GRASS, horizon), *clouds, *tufts)


def snow(rng: Generator, horizon: float) -> Drawing:
    """Snow-covered ground with pines, in falling snow."""
    pines = tuple(
        part
        for x in _spread(rng, 3)
        for part in _pine(x, horizon + 0.03, rng.uniform(0.25, 0.4), snowy=True)
    )
    flakes = tuple(ellipse(SNOW, x, y, 0.013, 0.013) for x, y in _scatter(rng, 28, 0.0, 1.0))
    return (*_two((176, 190, 208), (238, 243, 250), horizon), *pines, *flakes)


def beach(rng: Generator, horizon: float) -> Drawing:
    """Sand with foam at the edge of the sea, under the sun."""
    sun = ellipse((255, 232, 110), rng.choice((0.14, 0.86)), 0.14, 0.085, 0.085)
    foam = [(x, horizon + 0.015 + 0.012 * sin(14 * x)) for x in np.linspace(0, 1, 24)]
    return (
        box((136, 206, 246), 0, 0, 1, horizon),
        sun,
        box((36, 122, 190), 0, horizon - 0.2, 1, horizon + 0.02),
        *(
            line((150, 206, 236), 0.012, x, y, x + 0.12, y)
            for x, y in _scatter(rng, 6, horizon - 0.17, horizon - 0.03)
        ),
        box((238, 214, 152), 0, horizon, 1, 1),
        line(SNOW, 0.025, *(number for point in foam for number in point)),
        *(
            ellipse((196, 164, 104), x, y, 0.014, 0.008)
            for x, y in _scatter(rng, 12, horizon + 0.08, 1.0)
        ),
    )


def forest(rng: Generator, horizon: float) -> Drawing:
    """Trunks and crowns of trees on dark ground."""
    ground, leaves = (70, 92, 44), (34, 86, 44)
    trunks = tuple(
        box(mix((96, 66, 42), (58, 40, 28), rng.random()), x - w, 0, x + w, horizon + 0.06)
        for x, w in zip(_spread(rng, 6), rng.uniform(0.022, 0.04, 6), strict=True)
    )
    crowns = tuple(
        ellipse(mix(leaves, (70, 130, 60), rng.random()), x, rng.uniform(0.0, 0.14), 0.15, 0.12)
        for x in _spread(rng, 8)
    )
    return (*_two((54, 104, 66), ground, horizon), *trunks, *crowns)


def city(rng: Generator, horizon: float) -> Drawing:
    """A street in front of a row of buildings with lit windows."""
    buildings: list[Shape] = []
    left = -0.05
    while left < 1:
        width, top = rng.uniform(0.14, 0.24), rng.uniform(0.05, 0.34)
        grey = int(rng.integers(96, 160))
        buildings.append(
            box((grey, grey, grey + 14), left, top, left + width - 0.015, horizon + 0.01)
        )
        for y in np.arange(top + 0.05, horizon - 0.05, 0.1):
            buildings += [
                box((250, 226, 140), x, y, x + 0.03, y + 0.05)
                for x in np.arange(left + 0.03, left + width - 0.05, 0.065)
            ]
        left += width
    kerb = box((190, 190, 190), 0, horizon, 1, horizon + 0.05)
    stripes = (box((236, 236, 230), x, 0.9, x + 0.13, 0.925) for x in (0.05, 0.35, 0.65, 0.95))
    return (*_two((196, 206, 220), (84, 84, 90), horizon), *buildings, kerb, *stripes)


def room(rng: Generator, horizon: float) -> Drawing:
    """A room with a window and floorboards."""
    x = rng.choice((0.06, 0.62))
    boards = tuple(line((128, 82, 48), 0.01, 0, y, 1, y) for y in np.linspace(horizon + 0.09, 1, 4))
    window = (
        box((120, 84, 60), x, 0.07, x + 0.32, 0.42),
        box((190, 224, 246), x + 0.025, 0.095, x + 0.295, 0.395),
        line((120, 84, 60), 0.018, x + 0.16, 0.09, x + 0.16, 0.4),
        line((120, 84, 60), 0.018, x + 0.02, 0.245, x + 0.3, 0.245),
    )
    skirting = box((250, 244, 230), 0, horizon - 0.035, 1, horizon)
    return (*_two((236, 208, 176), (178, 122, 76), horizon), skirting, *window, *boards)


def mountains(rng: Generator, horizon: float) -> Drawing:
    """Mountains with snow-covered tops behind a meadow."""
    shapes: list[Shape] = []
    for x in (*_spread(rng, 3), rng.uniform(0.3, 0.7)):
        top, half = rng.uniform(0.05, 0.22), rng.uniform(0.26, 0.36)
        fall = (horizon - top) / half
        shapes.append(polygon((118, 122, 144), x - half, horizon, x, top, x + half, horizon))
        cap = 0.09
        shapes.append(
            polygon(
                SNOW,
                x - cap,
                top + cap * fall,
                x,
                top,
                x + cap,
                top + cap * fall,
                x + 0.03,
                top + 0.07,
                x - 0.03,
                top + 0.1,
            )
        )
    return (
        *_two((166, 206, 240), (128, 150, 92), horizon),
        *shapes,
        box((128, 150, 92), 0, horizon, 1, 1),
    )


def desert(rng: Generator, horizon: float) -> Drawing:
    """Rippled sand, a dune and cacti."""
    sand, dune = (228, 164, 88), (206, 138, 68)
    phase = rng.uniform(0, 6)
    ridge = [(x, horizon - 0.05 + 0.05 * sin(5 * x + phase)) for x in np.linspace(0, 1, 24)]
    ripples = tuple(
        line(
            dune,
            0.012,
            *(
                n
                for t in np.linspace(0, 0.24, 6)
                for n in (x + t, y + 0.012 * sin(t * 4 * pi / 0.24))
            ),
        )
        for x, y in _scatter(rng, 7, horizon + 0.1, 0.98)
    )
    cacti = tuple(
        line((72, 128, 68), 0.035, *numbers)
        for x in (rng.uniform(0.06, 0.16), rng.uniform(0.84, 0.94))
        for numbers in (
            (x, horizon + 0.04, x, horizon - 0.26),
            (x, horizon - 0.1, x - 0.06, horizon - 0.1, x - 0.06, horizon - 0.18),
            (x, horizon - 0.06, x + 0.06, horizon - 0.06, x + 0.06, horizon - 0.15),
        )
    )
    hills = polygon(dune, 0, 1, *(n for point in ridge for n in point), 1, 1)
    return (box((250, 222, 168), 0, 0, 1, 1), hills, box(sand, 0, horizon, 1, 1), *ripples, *cacti)


def water(rng: Generator, horizon: float) -> Drawing:
    """A lake that the subject floats on."""
    blue = (48, 140, 200)
    waves = tuple(
        line(
            (176, 222, 244),
            0.014,
            *(
                n
                for t in np.linspace(0, 0.16, 7)
                for n in (x + t, y + 0.014 * sin(t * 2 * pi / 0.08))
            ),
        )
        for x, y in _scatter(rng, 16, horizon + 0.05, 1.0)
    )
    shore = tuple(
        ellipse((86, 140, 84), x, horizon, 0.2, rng.uniform(0.05, 0.1)) for x in _spread(rng, 5)
    )
    return (box((206, 228, 244), 0, 0, 1, horizon), *shore, box(blue, 0, horizon, 1, 1), *waves)


def night(rng: Generator, horizon: float) -> Drawing:
    """A dark sky with stars and a crescent moon."""
    x, dark = rng.choice((0.18, 0.82)), (24, 30, 76)
    moon = (
        ellipse((250, 244, 200), x, 0.17, 0.1, 0.1),
        ellipse(dark, x + 0.045, 0.15, 0.085, 0.085),
    )
    stars = tuple(
        ellipse((255, 250, 214), x, y, 0.01, 0.01)
        for x, y in _scatter(rng, 22, 0.02, horizon - 0.06)
    )
    return (*_two(dark, (58, 66, 104), horizon), *stars, *moon)


ENVIRONMENTS: dict[str, Callable[[Generator, float], Drawing]] = {
    place.__name__: place
    for place in (grass, snow, beach, forest, city, room, mountains, desert, water, night)
}
"""Name -> a function that draws it from a random generator and the horizon's y (0 to 1)."""


def _two(above: Colour, below: Colour, horizon: float) -> Drawing:
    return box(above, 0, 0, 1, 1), box(below, 0, horizon, 1, 1)


def _scatter(rng: Generator, count: int, top: float, bottom: float) -> list[tuple[float, float]]:
    return list(zip(rng.uniform(0, 1, count), rng.uniform(top, bottom, count), strict=True))


def _spread(rng: Generator, count: int) -> list[float]:
    """Return x positions from left to right, one in each of `count` equal parts of the picture."""
    return [(k + rng.uniform(0.15, 0.85)) / count for k in range(count)]


def _pine(x: float, foot: float, height: float, *, snowy: bool) -> Drawing:
    green = (52, 98, 72)
    layers = tuple(
        polygon(
            green,
            x - w * height,
            foot - a * height,
            x,
            foot - b * height,
            x + w * height,
            foot - a * height,
        )
        for w, a, b in ((0.32, 0.12, 0.6), (0.25, 0.4, 0.82), (0.17, 0.65, 1.0))
    )
    cap = polygon(
        SNOW,
        x - 0.1 * height,
        foot - 0.8 * height,
        x,
        foot - height,
        x + 0.1 * height,
        foot - 0.8 * height,
    )
    return (
        box((92, 66, 46), x - 0.015, foot - 0.12 * height, x + 0.015, foot),
        *layers,
        *((cap,) if snowy else ()),
    )
