"""Preview pictures of the demo models: a sprite painted in the model's look, on a background in its season's colour."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from .catalogue import DemoModel
from .sprites import SPRITES, Colour, Shape

SIDE = 256
_PAPER = (250, 248, 242)
_SEASONS: tuple[Colour, ...] = ((206, 222, 238), (204, 230, 196), (250, 232, 170), (240, 206, 164))
"""Winter, spring, summer, autumn."""


def draw(model: DemoModel) -> Image.Image:
    """The 256x256 RGB picture of one model; always the same for the same model."""
    season = _SEASONS[model.created_at.month % 12 // 3]
    noise = np.random.default_rng(zlib.crc32(model.path.encode()))
    return _LOOKS[model.look](SPRITES[model.sprite], season, noise)


def _realistic(sprite: tuple[Shape, ...], season: Colour, noise: np.random.Generator) -> Image.Image:
    """Every shape lit from the upper left, over a soft shadow."""
    picture = _lit(season, (70, 66, 62), _light())
    for shape in sprite:
        mask = _mask(shape)
        shadow = ImageChops.offset(mask, 3, 5).filter(ImageFilter.GaussianBlur(5)).point(lambda v: v // 3)
        picture.paste((20, 16, 14), mask=shadow)
        picture.paste(_lit(_times(shape.colour, 1.25), _times(shape.colour, 0.55), _light(mask.getbbox())), mask=mask)
    grain = Image.fromarray(noise.normal(128, 9, (SIDE, SIDE)).clip(0, 255).astype(np.uint8)).convert("RGB")
    return ImageChops.add(picture, grain, offset=-128)


def _cartoon(sprite: tuple[Shape, ...], season: Colour, noise: np.random.Generator) -> Image.Image:
    """Flat bright colours inside thick dark outlines."""
    picture = Image.new("RGB", (SIDE, SIDE), season)
    for shape in sprite:
        mask = _mask(shape)
        if shape.kind != "line":
            picture.paste((30, 24, 28), mask=mask.filter(ImageFilter.MaxFilter(9)))
        picture.paste(_times(shape.colour, 1.2), mask=mask)
    return picture


def _watercolour(sprite: tuple[Shape, ...], season: Colour, noise: np.random.Generator) -> Image.Image:
    """Transparent washes with soft, uneven edges on paper."""
    picture = Image.new("RGB", (SIDE, SIDE), _PAPER)
    ground = Shape("ellipse", season, (0.5, 0.52, 0.46, 0.44))
    for shape in (ground, *sprite):
        blots = Image.fromarray(noise.integers(120, 205, (8, 8), np.uint8))
        soft = _mask(shape).filter(ImageFilter.GaussianBlur(1 if shape.kind == "line" else 4))
        edge = ImageChops.subtract(soft, soft.filter(ImageFilter.GaussianBlur(6))).point(lambda v: v // 2)
        wash = ImageChops.multiply(soft, blots.resize((SIDE, SIDE), Image.Resampling.BICUBIC))
        picture.paste(shape.colour, mask=ImageChops.add(wash, edge))
    return picture


def _sketch(sprite: tuple[Shape, ...], season: Colour, noise: np.random.Generator) -> Image.Image:
    """Grey pencil lines, gone over three times, and a little hatching."""
    picture = Image.blend(Image.new("RGB", (SIDE, SIDE), _PAPER), Image.new("RGB", (SIDE, SIDE), season), 0.25)
    diagonals = np.add.outer(np.arange(SIDE), np.arange(SIDE)) % 9
    hatching = Image.fromarray(np.where(diagonals == 0, 90, 0).astype(np.uint8))
    for shape in sprite:
        mask = _mask(shape)
        picture.paste(_PAPER, mask=mask)
        if sum(shape.colour) < 400:
            picture.paste((120, 120, 124), mask=ImageChops.multiply(mask, hatching))
        line = ImageChops.subtract(mask.filter(ImageFilter.MaxFilter(3)), mask.filter(ImageFilter.MinFilter(3)))
        for x, y in noise.integers(-1, 2, (3, 2)):
            picture.paste((84, 84, 88), mask=ImageChops.offset(line, int(x), int(y)).point(lambda v: v * 2 // 3))
    return picture


def _pixel_art(sprite: tuple[Shape, ...], season: Colour, noise: np.random.Generator) -> Image.Image:
    """The cartoon in 32x32 pixels of few colours."""
    small = _cartoon(sprite, season, noise).resize((32, 32), Image.Resampling.BOX)
    few = small.quantize(12, dither=Image.Dither.NONE).convert("RGB")
    return few.resize((SIDE, SIDE), Image.Resampling.NEAREST)


_LOOKS: dict[str, Callable[[tuple[Shape, ...], Colour, np.random.Generator], Image.Image]] = {
    "realistic": _realistic,
    "cartoon": _cartoon,
    "watercolour": _watercolour,
    "sketch": _sketch,
    "pixel art": _pixel_art,
}


def _times(colour: Colour, gain: float) -> Colour:
    """The colour, brighter or darker."""
    red, green, blue = (min(255, int(channel * gain)) for channel in colour)
    return red, green, blue


def _lit(bright: Colour, dark: Colour, light: Image.Image) -> Image.Image:
    """`bright` where the light falls, `dark` where it does not."""
    return Image.composite(Image.new("RGB", (SIDE, SIDE), bright), Image.new("RGB", (SIDE, SIDE), dark), light)


def _mask(shape: Shape) -> Image.Image:
    """Where the shape is, 0 to 255, with smooth edges."""
    scale = 4 * SIDE
    large = Image.new("L", (scale, scale), 0)
    numbers = [number * scale for number in shape.numbers]
    pen = ImageDraw.Draw(large)
    if shape.kind == "ellipse":
        x, y, a, b = numbers
        pen.ellipse((x - a, y - b, x + a, y + b), fill=255)
    elif shape.kind == "polygon":
        pen.polygon(numbers, fill=255)
    else:
        pen.line(numbers, fill=255, width=scale // 64, joint="curve")
    return large.resize((SIDE, SIDE), Image.Resampling.BOX)


def _light(box: tuple[int, int, int, int] | None = None) -> Image.Image:
    """Brightness falling off from the upper left third of a box (default: the whole picture)."""
    left, top, right, bottom = box or (0, 0, SIDE, SIDE)
    x = (np.arange(SIDE) - left - (right - left) / 3) / max(1, right - left)
    y = (np.arange(SIDE) - top - (bottom - top) / 3) / max(1, bottom - top)
    falloff = 1 - np.sqrt(np.add.outer(y**2, x**2)).clip(0, 1)
    return Image.fromarray((255 * falloff).astype(np.uint8))
