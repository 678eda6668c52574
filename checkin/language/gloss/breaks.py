"""Spaces in languages that are written without: they part what is said, as commas do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from .reader import Item


def with_breaks(items: Sequence[Item], text: str) -> Iterator[Item]:
    """The items with a comma for each space between words in other letters than Latin ones, and
    between a style and the name of whom it is of.
    """
    last = max((at for at, item in enumerate(items) if _says(item)), default=0)
    for at, (item, other) in enumerate(itertools.zip_longest(items, items[1:])):
        yield item
        if at < last and (_is_break(text, item, other) or _is_style_of(items[at : at + 3])):
            yield Item(",", "sign", item.end, item.end)


def _is_style_of(items: Sequence[Item]) -> bool:
    """Whether a style, and perhaps a particle, stands before a name."""
    behind = [one.kind for one in items[1:] if one.kind != "mark"][:1]
    return (items[0].english, items[0].kind) == ("style", "thing") and behind == ["name"]


def _says(item: Item) -> bool:
    return item.kind != "mark" and bool(item.english)


def _is_break(text: str, item: Item, other: Item) -> bool:
    if item.kind == "sign" or other.kind == "sign":
        return False
    between = text[item.end : other.start]
    letters = text[item.end - 1] + text[other.start]
    return any(map(str.isspace, between)) and not letters.isascii()


def apart(heads: Sequence[list[Item]]) -> list[list[Item]]:
    """What is spoken of, with a comma between two that are names: "pino, haruki"."""
    found = [*heads[:1]]
    for one, other in itertools.pairwise(heads):
        named = [item.kind for item in (*one[-1:], *other[:1])] == ["name", "name"]
        found += [[Item(",", "sign", one[-1].end, one[-1].end)], other] if named else [other]
    return found
