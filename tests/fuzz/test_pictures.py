"""Test that no picture crashes, takes long or much memory, or is of a format that nobody named."""

from __future__ import annotations

import io
import random
import struct
import zlib
from functools import cache

from PIL import Image

from personalq.checkin.readers.pictures import UnusablePicture, opened, reduced

from .attack import Attack

PICTURES = 1000
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "AVIF")


def test_mutated_pictures_are_pictures_or_none() -> None:
    attack = Attack("pictures, mutated", most_seconds=1)
    for number in attack.numbers(PICTURES):
        chance = attack.random(number)
        data = bytearray(_whole(_FORMATS[number % len(_FORMATS)]))
        for _ in range(chance.choice([1, 3, 10])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)) :]
        with attack.case(number):
            _looked_at(bytes(data))
    attack.finish()


def test_bombs_are_refused_before_they_are_decoded() -> None:
    attack = Attack("pictures, bombs and foreign formats", most_seconds=2)
    bombs = [
        _png(40_000, 40_000, 6),
        _png(13_000, 6_800, 6),
        _png(2**31 - 1, 1, 2),
        _png(5_000, 4_900, 6),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(/etc/passwd) (r) file\n",
        b"GIF89a\xff\xff\xff\xff\x80\0\0" + bytes(900),
        b"RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff" + bytes(900),
        b"%PDF-1.7\n",
        b"SIMPLE  =                    T" + bytes(3000),
    ]
    for number in attack.numbers(len(bombs)):
        with attack.case(number):
            _looked_at(bombs[number])
    for number in (4, 7, 8):
        try:
            with opened(io.BytesIO(bombs[number])):
                attack.broke("foreign_files", number, "a format that is not named was opened")
        except OSError:
            pass
    attack.finish()


def _looked_at(data: bytes) -> None:
    """Decode as thumbnails do; what decoders raise for broken pictures is what they are for."""
    try:
        with opened(io.BytesIO(data)) as picture:
            assert max(reduced(picture, 256).size) <= 256
    except (UnusablePicture, OSError, SyntaxError, ValueError, EOFError, RuntimeError):
        pass
    except (struct.error, zlib.error, IndexError, KeyError, OverflowError):
        pass  # thumbnails and previews take any error of a decoder for "no picture"


@cache
def _whole(format: str) -> bytes:
    pixels = random.Random(1).randbytes(96 * 64 * 3)
    written = io.BytesIO()
    Image.frombytes("RGB", (96, 64), pixels).save(written, format)
    return written.getvalue()


def _png(width: int, height: int, kind: int) -> bytes:
    """A PNG of zeros, small as a file and large as a picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    lines = zlib.compressobj(9)
    row = bytes(1 + min(width, 100_000) * (4 if kind == 6 else 3))
    data = b"".join(lines.compress(row) for _ in range(min(height, 5000))) + lines.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
