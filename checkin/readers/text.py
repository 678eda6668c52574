"""Limits of the texts in a card, and lists of texts."""

from __future__ import annotations

import re

from ..lexicon.sentences import say
from ..lexicon.text import MAX_TEXT_CHARS, printable

MAX_DESCRIPTION_BYTES = 2048
"""Bytes of UTF-8."""

MAX_WORDS_BYTES = 120
"""Bytes of a subject, a style, a version or a name."""

MAX_ITEMS = 200
"""The most texts of one list that are read."""


def shorten(text: str, most: int = MAX_DESCRIPTION_BYTES) -> str:
    """`text` cut to at most `most` bytes of UTF-8, never inside a character."""
    return text.encode()[:most].decode(errors="ignore").rstrip()


def split_list(value: object) -> list[str]:
    """The first MAX_ITEMS texts in `value`: a list, or one text.

    Commas and line breaks separate texts. Raises ValueError.
    """
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(
        isinstance(item, str) for item in value[:MAX_ITEMS]
    ):
        raise ValueError(say("expected a text or a list of texts"))
    return texts_in(value)


def texts_in(value: object) -> list[str]:
    """As `split_list`, without what is no text."""
    items = value if isinstance(value, list | tuple) else [value]
    parts = (
        printable(part)
        for item in items[:MAX_ITEMS]
        if isinstance(item, str)
        for part in re.split(r"[,\n]", item[:MAX_TEXT_CHARS])
    )
    return list(dict.fromkeys(part for part in parts if part))[:MAX_ITEMS]
