"""English as data: the word lists of the folder `en`, and patterns of their phrases.

A file is a table: the name of a group, then its phrases with commas between them. A group may have
groups of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from .data import phrases_in, read

FOLDER = Path(__file__).parent / "en"


@cache
def table(file: str) -> dict[str, Any]:
    """All groups of a file: "times" for times.yaml."""
    found = read(FOLDER / f"{file}.yaml")
    assert isinstance(found, dict)
    return found


@cache
def phrases(file: str, *names: str) -> tuple[str, ...]:
    """The phrases of a group, in order; of a group of groups, those of all.

    `names` lead to it: `phrases("words", "function", "prepositions")`.
    """
    return tuple(_in(_group(file, names)))


@cache
def word_set(file: str, *names: str) -> frozenset[str]:
    """The phrases of a group as a set."""
    return frozenset(phrases(file, *names))


@cache
def rows(file: str, *names: str) -> dict[str, tuple[str, ...]]:
    """A group of groups: the name of each -> its phrases."""
    return {name: tuple(_in(found)) for name, found in _group(file, names).items()}


def any_of(*lists: Iterable[str], space: str = r"\s+") -> str:
    """A pattern of any phrase of some lists, the longest first; `space` parts its words."""
    found = sorted(set(chain(*lists)), key=lambda one: (-len(one), one))
    return f"(?:{'|'.join(space.join(map(re.escape, one.split())) for one in found)})"


def one_of(file: str, *names: str, space: str = r"\s+") -> str:
    """A pattern of any phrase of a group."""
    return any_of(phrases(file, *names), space=space)


def after(*lists: Iterable[str]) -> str:
    """A pattern of the place behind any phrase of some lists and a space."""
    return f"(?:{'|'.join(f'(?<={re.escape(one)} )' for one in chain(*lists))})"


def _group(file: str, names: tuple[str, ...]) -> Any:
    found: Any = table(file)
    for name in names:
        found = found[name]
    return found


def _in(group: Any) -> Iterable[str]:
    if isinstance(group, str):
        return phrases_in(group)
    return (phrase for one in group.values() for phrase in _in(one))


ON_FROM_THERE = r"on\b(?=\W*$|\s*[^\w\s]|\s+(?:in|at|with|and|but|or|as|for|please|wearing)\b)"
"""A pattern of "on" in "from 2025 on", which "from 2025 on a beach" does not have."""

NEWEST = rf"(?:very\s+)?{one_of('orders', 'newest')}"
"""A pattern of the words for the newest."""
