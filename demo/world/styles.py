"""Ways to paint shapes: photograph, cartoon, sketch and painting.

Two more, watercolour and blueprint, are known to personal models only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from .colours import INK
from .shapes import Colour, Points, Shape, mix

Pixels = NDArray[np.float32]
Wanted = Callable[[int, int], bool]
"""Whether a stroke may begin at (x, y) of the canvas."""
SIDE = 128
_SCALE = 2
"""Shapes are drawn this much larger, then averaged down, for smooth edges."""
_PAPER: Colour = (244, 241, 234)
_PENCIL: Colour = (84, 84, 88)
_CYAN: Colour = (16, 48, 130)


def photograph(background: Iterable[Shape], subject: tuple[Shape, ...], rng: Generator) -> Pixels:
    """Rounded shapes lit from above, in front of a blurred background.

    With a cast shadow, vignette and grain.
    """
    canvas = _blank()
    _fill(canvas, background)
    canvas = canvas.filter(ImageFilter.GaussianBlur(2.2))
    _cast_shadow(canvas, subject)
    _fill(canvas, (layer for shape in subject for layer in _rounded(shape)))
    pixels = _reduced(canvas.filter(ImageFilter.GaussianBlur(1.0)))
    pixels *= (1 + 0.16 * (_solid(subject) - 0.5) * _ramp(-1.0) * 2)[..., None]
    pixels *= (1.06 - 0.22 * _distance_from_middle())[..., None]
    return pixels + rng.normal(0, 3.5, (SIDE, SIDE, 1)).astype(np.float32)


def cartoon(background: Iterable[Shape], subject: tuple[Shape, ...], rng: Generator) -> Pixels:
    """Flat strong colours; the subject has thick dark outlines, the background thin ones."""
    canvas = _blank()
    for shape in background:
        _fill(canvas, [shape])
        _outline(canvas, shape, mix(shape.colour, INK, 0.4), 0.006)
    for shape in subject:
        _fill(canvas, [shape])
        _outline(canvas, shape, INK, 0.014)
    pixels = _reduced(canvas)
    grey = pixels.mean(axis=2, keepdims=True)
    return grey + (pixels - grey) * 1.2


def sketch(background: Iterable[Shape], subject: tuple[Shape, ...], rng: Generator) -> Pixels:
    """Grey lines and light grey washes on paper; only the subject is tinted in coloured pencil."""
    canvas = Image.new("RGB", (SIDE * _SCALE,) * 2, _PAPER)
    for shape in background:
        _fill(canvas, [_washed(shape, mix((_grey(shape.colour),) * 3, _PAPER, 0.55))])
        _outline(canvas, shape, mix(_PENCIL, _PAPER, 0.3), 0.007, rng)
    for shape in subject:
        _fill(canvas, [_washed(shape, mix(shape.colour, _PAPER, 0.3))])
        _outline(canvas, shape, _PENCIL, 0.009, rng)
        _outline(canvas, shape, _PENCIL, 0.006, rng)
    pixels = _reduced(canvas)
    hatching = 9 * np.sin((_AXIS[:, None] + _AXIS[None, :]) * 2.1)
    grain = rng.normal(0, 3, (SIDE, SIDE, 1))
    return pixels + ((hatching * _solid(subject))[..., None] + grain).astype(np.float32)


def painting(background: Iterable[Shape], subject: tuple[Shape, ...], rng: Generator) -> Pixels:
    """Brush strokes along a smooth field: broad for the background, finer for the subject."""
    canvas = _blank()
    _fill(canvas, (*background, *subject))
    solid = _solid(subject)
    _strokes(canvas, rng, 520, 7, 8.0, lambda x, y: True)
    _fill(canvas, subject)
    _strokes(canvas, rng, 900, 4, 4.0, lambda x, y: bool(solid[y // _SCALE, x // _SCALE] > 0.5))
    pixels = _reduced(canvas)
    weave = 3.0 * (np.sin(_AXIS * 1.6)[:, None] + np.sin(_AXIS * 1.6)[None, :])
    return pixels + weave[..., None].astype(np.float32)


def watercolour(background: Iterable[Shape], subject: tuple[Shape, ...], rng: Generator) -> Pixels:
    """Pale washes that run into each other on white paper, darker at their dried edges."""
    canvas = Image.new("RGB", (SIDE * _SCALE,) * 2, (252, 250, 244))
    _fill(
        canvas, (_washed(shape, mix(shape.colour, (255, 255, 255), 0.45)) for shape in background)
    )
    canvas = canvas.filter(ImageFilter.GaussianBlur(7))
    for shape in subject:
        _fill(canvas, [_washed(shape, mix(shape.colour, (255, 255, 255), 0.22))])
        _outline(canvas, shape, mix(shape.colour, (40, 40, 90), 0.3), 0.008, rng)
    pixels = _reduced(canvas.filter(ImageFilter.GaussianBlur(1.6)))
    blooms = sum(
        np.sin(_AXIS[:, None] * a + _AXIS[None, :] * b + c)
        for a, b, c in rng.uniform(0.02, 0.12, (4, 3)) * 3
    )
    return pixels + (2.5 * blooms)[..., None].astype(np.float32)


def blueprint(background: Iterable[Shape], subject: tuple[Shape, ...], rng: Generator) -> Pixels:
    """White lines on deep blue, as plans were copied: dark parts become light."""
    light = 1 - cartoon(background, subject, rng).clip(0, 255).mean(axis=2, keepdims=True) / 255
    return np.array(_CYAN, np.float32) + light * np.subtract(_PAPER, _CYAN)


PAINTERS = {
    "photo": photograph,
    "cartoon": cartoon,
    "sketch": sketch,
    "painting": painting,
    "watercolour": watercolour,
    "blueprint": blueprint,
}
_AXIS = np.arange(SIDE, dtype=np.float32)


def _blank() -> Image.Image:
    return Image.new("RGB", (SIDE * _SCALE,) * 2, (255, 255, 255))


def _reduced(canvas: Image.Image) -> Pixels:
    return np.asarray(canvas.reduce(_SCALE), np.float32).copy()


def _corners(points: Points) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in points * SIDE * _SCALE]


def _fill(canvas: Image.Image, shapes: Iterable[Shape]) -> None:
    draw = ImageDraw.Draw(canvas)
    for shape in shapes:
        if shape.filled:
            draw.polygon(_corners(shape.points), fill=shape.colour)
        else:
            draw.line(
                _corners(shape.points),
                shape.colour,
                max(1, round(shape.width * SIDE * _SCALE)),
                joint="curve",
            )


def _outline(
    canvas: Image.Image, shape: Shape, colour: Colour, width: float, rng: Generator | None = None
) -> None:
    """Draw around a polygon, or along both sides of a line.

    `width` is a share of the picture. With `rng`, the line is as from a shaky hand.
    """
    if not shape.filled and shape.width < 0.02:
        return
    points = (
        np.concatenate([shape.points, shape.points[:1]]) if shape.filled else _both_sides(shape)
    )
    if rng is not None:
        points = points + rng.normal(0, 0.004, points.shape)
    ImageDraw.Draw(canvas).line(
        _corners(points), colour, max(1, round(width * SIDE * _SCALE)), joint="curve"
    )


def _both_sides(shape: Shape) -> Points:
    """Return the outline of a broad line, as one closed polyline."""
    along = np.gradient(shape.points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    across = along[:, ::-1] * (-1, 1) * shape.width / 2
    loop = np.concatenate([shape.points + across, (shape.points - across)[::-1]])
    return np.concatenate([loop, loop[:1]])


def _rounded(shape: Shape) -> tuple[Shape, ...]:
    """Return a shape in shade, topped by smaller lit copies, moved towards the light."""
    if not shape.filled:
        return (shape,)
    middle = shape.points.mean(axis=0)
    size = float(np.ptp(shape.points, axis=0).min())
    towards_light = np.array([-0.06, -0.09]) * size
    steps = (
        (1.0, mix(shape.colour, (0, 0, 0), 0.28)),
        (0.86, shape.colour),
        (0.5, mix(shape.colour, (255, 250, 240), 0.12)),
    )
    return tuple(
        Shape(middle + (shape.points - middle) * share + towards_light * (1 - share) * 4, colour)
        for share, colour in steps
    )


def _washed(shape: Shape, colour: Colour) -> Shape:
    return Shape(shape.points, colour, shape.width)


def _grey(colour: Colour) -> int:
    return round(0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2])


def _cast_shadow(canvas: Image.Image, subject: tuple[Shape, ...]) -> None:
    points = np.concatenate([shape.points for shape in subject])
    (left, _), (right, foot) = points.min(axis=0), points.max(axis=0)
    veil = Image.new("L", canvas.size, 0)
    scale = SIDE * _SCALE
    spot = (left * scale, (foot - 0.035) * scale, (right + 0.05) * scale, (foot + 0.035) * scale)
    ImageDraw.Draw(veil).ellipse(spot, fill=120)
    canvas.paste((20, 20, 30), (0, 0), veil.filter(ImageFilter.GaussianBlur(5)))


def _solid(subject: tuple[Shape, ...]) -> Pixels:
    """Return [SIDE, SIDE]: 1 where the subject is, 0 elsewhere."""
    veil = Image.new("RGB", (SIDE * _SCALE,) * 2)
    _fill(veil, (_washed(shape, (255, 255, 255)) for shape in subject))
    return _reduced(veil)[..., 0] / np.float32(255)


def _ramp(slope: float) -> Pixels:
    return np.repeat((slope * (_AXIS / SIDE - 0.5))[:, None], SIDE, axis=1).astype(np.float32)


def _distance_from_middle() -> Pixels:
    across = (_AXIS / SIDE - 0.5) ** 2
    return (2 * (across[:, None] + across[None, :])).astype(np.float32)


def _strokes(
    canvas: Image.Image, rng: Generator, count: int, width: int, length: float, wanted: Wanted
) -> None:
    """Draw short lines in the colour below their start, in smoothly changing directions."""
    source = np.asarray(canvas, np.float32)
    draw = ImageDraw.Draw(canvas)
    side = SIDE * _SCALE
    places = rng.integers(0, side, (count, 2))
    phase = rng.uniform(0, 6.3, 2)
    tints = rng.normal(0, 9, (count, 1))
    angles = 2.2 * np.sin(places / side * 4 + phase).sum(axis=1)
    offsets = (np.stack([np.cos(angles), np.sin(angles)], axis=1) * length).tolist()
    shades = np.clip(source[places[:, 1], places[:, 0]] + tints, 0, 255).astype(int).tolist()
    for (x, y), (dx, dy), shade in zip(places.tolist(), offsets, shades, strict=True):
        if wanted(x, y):
            draw.line((x - dx, y - dy, x + dx, y + dy), tuple(shade), width)
