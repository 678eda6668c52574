"""Text on one line, in a form for showing and comparing."""

from __future__ import annotations

import re
import unicodedata

MAX_TEXT_CHARS = 64 * 1024
"""The most characters of one text that are read, so that a forged text cannot cost much time."""
MAX_REPEATED = 80
"""How much of what somebody typed a sentence repeats."""
_FOLDERS = re.compile(r"(?<![\w:/\\])(?:[A-Za-z]:)?[/\\](?:(?:(?!, )[^/\\:*?\"<>|\n])+[/\\])+")
"""The folders of an absolute path."""


_STROKED = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i"}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that are no letter and accent -> how they are typed without."""


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


def without_accents(word: str) -> str:
    """A word of Latin letters as it is typed without accents: "zoe" for "zoë"; others unchanged."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFD", word.translate(_STROKED))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plain if plain.isascii() else word


def without_folders(text: str) -> str:
    """The text with nothing but the last name left of each absolute path."""
    return _FOLDERS.sub("", text)


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co")


def in_short(text: str) -> str:
    """As much of what somebody typed as a sentence repeats, in one line."""
    said = one_line(text)
    return said if len(said) <= MAX_REPEATED else f"{said[:MAX_REPEATED]}…"
