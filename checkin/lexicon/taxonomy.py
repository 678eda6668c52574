"""What English words for things mean: their synonyms, and what is a kind of what (taxonomy.txt)."""

from __future__ import annotations

from pathlib import Path

from .spelling import stems

Phrase = tuple[str, ...]


def _read(
    lines: list[str],
) -> tuple[
    dict[Phrase, tuple[Phrase, ...]],
    dict[Phrase, frozenset[Phrase]],
    dict[Phrase, frozenset[Phrase]],
]:
    """(phrase -> the things it names, thing -> what it is a kind of at any height, thing -> what it is
    called as a fallback) of an indented list.
    """
    named: dict[Phrase, dict[Phrase, None]] = {}
    parents: dict[Phrase, set[Phrase]] = {}
    fallbacks: dict[Phrase, set[Phrase]] = {}
    above: list[tuple[bool, Phrase]] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        name, _, synonyms = line.strip().partition(" = ")
        thing = stems(name)
        above[depth:] = [(name.startswith("?"), thing)]
        parents.setdefault(thing, set()).update(one for loose, one in above[:depth] if not loose)
        fallbacks.setdefault(thing, set()).update(one for loose, one in above[:depth] if loose)
        for phrase in (thing, *map(stems, filter(None, synonyms.split(", ")))):
            named.setdefault(phrase, {})[thing] = None
    return (
        {phrase: tuple(things) for phrase, things in named.items()},
        {thing: frozenset(found) for thing, found in parents.items()},
        {thing: frozenset(found) for thing, found in fallbacks.items()},
    )


THINGS, KIND_OF, FALLBACK_KIND_OF = _read(
    Path(__file__).with_name("taxonomy.txt").read_text("utf-8").splitlines()
)
"""Phrase -> the things it names, in singulars; thing -> the things it is a kind of ("corgi": dog, pet, animal ...);
thing -> what it is called only where nothing else is: a house is a building where nothing is called a building."""


def kinds(phrase: Phrase) -> frozenset[Phrase]:
    """The things that a phrase names and all that they are kinds of; empty for an unknown phrase."""
    named = THINGS.get(phrase, ())
    return frozenset(named).union(*(KIND_OF[thing] for thing in named))
