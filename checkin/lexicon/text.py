"""Text on one line, in a form for showing and comparing."""

from __future__ import annotations

import unicodedata

MAX_TEXT_CHARS = 64 * 1024
"""The most characters of one text that are read, so that a forged text cannot cost much time."""


def one_line(text: str) -> str:
    """The text with its whitespace collapsed."""
    return " ".join(text.split())


def printable(text: str) -> str:
    """The text on one line, without control, zero-width and bidirectional characters."""
    text = text[:MAX_TEXT_CHARS]
    if text.isascii() and text.isprintable():
        return one_line(text)
    shown = (
        " " if char.isspace() else char for char in text if char.isspace() or not _invisible(char)
    )
    return one_line("".join(shown))


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co")
