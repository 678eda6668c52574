"""The header of a safetensors file, read within limits. Tensor data is never read."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import dataclass
from pathlib import Path

from ..lexicon.sentences import say
from ..lexicon.text import MAX_TEXT_CHARS

MAX_HEADER_BYTES = 16 * 1024 * 1024
"""Bytes. Headers of real models stay below 2 MiB.

Without a limit, a forged length would make a reader take terabytes.
"""

MAX_PATH_CHARS = 259
"""The longest path, in characters, that Windows opens with its default settings."""
LIMITED = os.name == "nt"
"""Whether MAX_PATH_CHARS applies on this machine."""


class UnreadableFile(ValueError):
    """A file that cannot be used.

    The message says why and what to do; it does not repeat the file's name.
    """


@dataclass(frozen=True)
class Header:
    """What the header of a safetensors file says."""

    metadata: dict[str, str]
    shapes: dict[str, tuple[int, ...]]
    """Shape of every tensor, by name."""


def read_header(path: Path) -> Header:
    """Read the header of a safetensors file.

    It is 8 bytes of little-endian length, then that many bytes of JSON. Raises UnreadableFile for a
    header that is too long, cut off or malformed, and for a file that ends before its last tensor
    does.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        if LIMITED and len(str(path)) > MAX_PATH_CHARS:
            raise UnreadableFile(
                say(
                    "its path has {number} characters, and Windows opens {most}: move it to a "
                    "folder with a shorter path, or switch on long paths in Windows "
                    "(LongPathsEnabled)",
                    number=len(str(path)),
                    most=MAX_PATH_CHARS,
                )
            ) from None
        raise
    if size < 8:
        raise UnreadableFile(
            say(
                "not a safetensors file: it has only {bytes} bytes; copy or download it again",
                bytes=size,
            )
        )
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > min(size - 8, MAX_HEADER_BYTES):
            raise UnreadableFile(
                say(
                    "its header claims {bytes:,} bytes, the file has {all:,} and a header at most "
                    "{most:,}; it is cut off or no safetensors file: copy or download it again",
                    bytes=length,
                    all=size,
                    most=MAX_HEADER_BYTES,
                )
            )
        text = file.read(length)
    header, end = _parse(text)
    if 8 + length + end > size:
        raise UnreadableFile(
            say(
                "truncated: its tensors end at byte {end:,} and the file has {bytes:,}; copy or "
                "download it again",
                end=8 + length + end,
                bytes=size,
            )
        )
    return header


def _parse(text: bytes) -> tuple[Header, int]:
    """The header, and the byte at which its last tensor ends.

    The byte is counted from the end of the header.
    """
    try:
        tensors = json.loads(text)
        metadata = tensors.pop("__metadata__", None) or {}
        strings = {key: _cut(value) for key, value in metadata.items() if isinstance(value, str)}
        shapes = {name: tuple(int(n) for n in tensor["shape"]) for name, tensor in tensors.items()}
        end = max((int(tensor["data_offsets"][1]) for tensor in tensors.values()), default=0)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise UnreadableFile(
            say(
                "its header is not a safetensors header; copy or download it again, or convert it "
                "to safetensors"
            )
        ) from None
    return Header(strings, shapes), end


def _cut(value: str) -> str:
    """A value of the metadata, cut if it is too long for a text and holds no JSON and no picture.

    A forged title of 15 MB took 25 seconds to read.
    """
    if len(value) <= MAX_TEXT_CHARS or value[:1] in "{[" or value.startswith("data:image/"):
        return value
    return value[:MAX_TEXT_CHARS]
