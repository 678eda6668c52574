"""Decoding of text files: UTF-8, or UTF-16 with a byte order mark, as on Windows."""

from __future__ import annotations

import codecs

from ..lexicon.sentences import say
from .header import UnreadableFile

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> str:
    """The text, without the byte order mark.

    Raises UnreadableFile for bytes that are neither UTF-8 nor marked as UTF-16.
    """
    mark, encoding = mark_and_encoding(data)
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise UnreadableFile(say("not UTF-8 text: save it as UTF-8; not read")) from None


def mark_and_encoding(data: bytes) -> tuple[bytes, str]:
    """(byte order mark at the start, b"" if there is none; name of the encoding)."""
    return next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
