"""Spaces in languages that are written without: they part what is said, as commas do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from .items import Item

_AROUND = frozenset({"sign", "after", "mark"})
"""Kinds of words that are joined to others, a space between them or not."""


def with_breaks(items: Sequence[Item], text: str) -> Iterator[Item]:
    """The items with a comma for each space between words in other letters than Latin ones."""
    for item, other in itertools.zip_longest(items, items[1:]):
        yield item
        if other and _is_break(text, item, other):
            yield Item(",", "sign", item.end, item.end)


def _is_break(text: str, item: Item, other: Item) -> bool:
    if item.kind == "sign" or other.kind == "sign":
        return False
    between = text[item.end : other.start]
    letters = text[item.end - 1] + text[other.start]
    return between.isspace() and not letters.isascii()
