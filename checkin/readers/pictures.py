"""Pictures of unknown source, decoded within limits.

Only of named formats, with a bounded number of pixels, and one at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from PIL import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "AVIF")
"""Pillow guesses the format by the content, and would hand PostScript to Ghostscript."""
MAX_PIXELS = {"JPEG": 40_000_000, "PNG": 24_000_000, "GIF": 24_000_000}
"""JPEG is decoded at the size that is wanted; others take 4 bytes for each pixel."""
_MAX_OTHERS = 12_000_000
"""WebP and AVIF are held twice while they are decoded."""
_ROWS = 64
_DECODING = threading.Lock()


class UnusablePicture(ValueError):
    """A picture that is not decoded: of another format, or too large."""


@contextmanager
def opened(source: str | IO[bytes]) -> Iterator[Image.Image]:
    """A picture, not decoded yet; only one is open at a time.

    Raises UnusablePicture, and what decoders raise for a broken picture.
    """
    with _DECODING, _header(source) as picture:
        width, height = picture.size
        most = MAX_PIXELS.get(picture.format or "", _MAX_OTHERS)
        if width * height > most:
            raise UnusablePicture(f"{width}x{height} is more than {most:,} pixels")
        yield picture


def _header(source: str | IO[bytes]) -> Image.Image:
    try:
        return Image.open(source, formats=_supported())
    except Image.DecompressionBombError as error:  # of Pillow's own limit
        raise UnusablePicture(str(error)) from None


def reduced(picture: Image.Image, size: int) -> Image.Image:
    """An RGB copy whose longest side is at most `size`, without a second copy in full size."""
    picture.draft("RGB", (size, size))
    width, height = picture.size
    factor = max(width, height) // (2 * size)
    if factor > 1:
        small = Image.new("RGB", (-(-width // factor), -(-height // factor)))
        for top in range(0, height, _ROWS * factor):
            rows = picture.crop((0, top, width, min(top + _ROWS * factor, height)))
            small.paste(rows.convert("RGB").reduce(factor), (0, top // factor))
    else:
        small = picture.convert("RGB")
    small.thumbnail((size, size))
    return small


def _supported() -> list[str]:
    Image.init()
    return [name for name in FORMATS if name in Image.OPEN]
