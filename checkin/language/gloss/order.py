"""The words of a request in the order of English."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...lexicon.kin import KIN
from ...lexicon.languages import Profile
from .around_times import around_times
from .chunks import NOUNS, SEASONAL, dates, head_first, only_times, says_something, word
from .reader import Item

_BESIDE_TIMES = frozenset("time mark after".split())
_YEAR = re.compile(r"20\d\d")
_DAY = re.compile(r"[0-3]?\d")
_DETERMINERS = frozenset("my our his her your the a".split())


def in_english_order(items: Sequence[Item], language: Profile) -> list[Item]:
    """The items of a request, clause by clause, as English puts them."""
    found: list[Item] = []
    for clause in _clauses(items):
        found += _clause(clause, language)
    return found


def _clauses(items: Sequence[Item]) -> Iterator[list[Item]]:
    for is_sign, group in itertools.groupby(items, lambda one: one.kind == "sign"):
        if is_sign:
            yield from ([one] for one in group)
        else:
            yield list(group)


def _clause(items: list[Item], language: Profile) -> list[Item]:
    items = _owned(_after_verbs(_dated(around_times(items, language))))
    if language.head_last:
        items = head_first(items)
    else:
        items = _before_nouns(items)
        if language.clauses_first:
            items = _clauses_behind(items)
        if language.modifiers_last:
            items = _modifiers_first(items)
    return [one for one in _linked(items) if one.kind != "mark"]


def _dated(items: list[Item]) -> list[Item]:
    """A year behind the month that follows it."""
    for at, (one, other) in enumerate(itertools.pairwise(items)):
        if _YEAR.fullmatch(one.english) and other.kind == "time":
            if other.english == "year" and at + 2 < len(items) and items[at + 2].kind == "time":
                return _dated([*items[: at + 1], *items[at + 2 :]])
            day = at + 2 < len(items) and items[at + 2].english.isdigit()
            rest = items[at + 1 : at + 2 + day]
            return [*items[:at], *rest, one, *items[at + 2 + day :]]
    return items


def _after_verbs(items: list[Item]) -> list[Item]:
    """Times behind the verb that they stand before: "i yesterday used" is "i used yesterday"."""
    found = list(items)
    for at, item in enumerate(items):
        if item.kind != "made":
            continue
        first = at
        while first and (found[first - 1].kind in _BESIDE_TIMES or not found[first - 1].english):
            first -= 1
        while first < at and found[first].kind != "time":
            first += 1
        times = [one for one in found[first:at] if one.kind == "time"]
        found[first : at + 1] = [item, *times, *[word("", item)] * (at - first - len(times))]
    return found


def _owned(items: list[Item]) -> list[Item]:
    """What somebody owns behind its owner: "the dog of mum" is "mum's dog"."""
    found = list(items)
    for at, item in enumerate(items):
        if (item.kind, item.english) == ("mark", "of") and at and items[at - 1].english in KIN:
            found[at - 1] = replace(items[at - 1], english=f"{items[at - 1].english}'s")
    at = 1
    while at < len(found) - 1:
        rest = [one.english in ("my", "our", "the") for one in found[at + 1 : at + 2]]
        last = at + 1 + sum(rest)
        owner = found[last] if last < len(found) else None
        if found[at].english == "of" and found[at].kind == "small" and owner:
            first = at
            while first and found[first - 1].kind in NOUNS - {"model"}:
                first -= 1
            named = owner.kind == "name" and not _YEAR.fullmatch(owner.english)
            owns = owner.english in KIN or (
                named and all(one.kind != "look" for one in found[first:at])
            )
            if first < at and owns:
                said = [*found[at + 1 : last], replace(owner, english=f"{owner.english}'s")]
                found[first : last + 1] = [*said, *found[first:at]]
        at += 1
    return found


def _before_nouns(items: list[Item]) -> list[Item]:
    """Words for a place behind a noun before it: "snow inside" is "in snow"."""
    found: list[Item] = []
    for item in items:
        if item.kind != "after":
            found.append(item)
            continue
        first = len(found)
        while first and found[first - 1].kind in NOUNS:
            first -= 1
        if first and found[first - 1].english in ("in", "on", "at"):
            found[first - 1] = item
        else:
            found.insert(first, item)
    return found


def _clauses_behind(items: list[Item]) -> list[Item]:
    """Relative clauses behind the noun that they stand before."""
    for at, item in enumerate(items):
        if (item.kind, item.english) != ("mark", "of"):
            continue
        before, rest = items[:at], items[at + 1 :]
        if only_times(before) and not dates(before):
            return [*before, *_clauses_behind(rest)]
        if dates(before):
            noun = list(itertools.takewhile(_is_nominal, rest))
            return [*noun, word("from", item), *before, *_clauses_behind(rest[len(noun) :])]
        if any(one.kind == "made" for one in before):
            continue
        opens = next((n for n, one in enumerate(before) if _opens_scene(one)), None)
        if opens is None or says_something(before[:opens]):
            continue
        noun = list(itertools.takewhile(_is_nominal, rest))
        if says_something(noun):
            moved = [*before[:opens], *noun, *before[opens:]]
            return [*moved, *_clauses_behind(rest[len(noun) :])]
    return items


def _is_nominal(item: Item) -> bool:
    return item.kind in NOUNS or item.english in ("", *_DETERMINERS)


def _opens_scene(item: Item) -> bool:
    return item.kind in ("action", "after") or item.english in ("in", "on", "at", "with")


def _modifiers_first(items: list[Item]) -> list[Item]:
    """Adjectives and looks before the noun that they follow, "of" between them left out."""
    found: list[Item] = []
    for item in items:
        at = len(found)
        if item.kind == "look" and at and found[-1].english in ("of", "style of"):
            last = found.pop()
            at -= 1
            if last.english == "style of":
                found += [item, replace(last, english="style")]
                continue
        first = at
        while first and found[first - 1].kind in NOUNS - {"quality"}:
            first -= 1
        if item.kind in ("quality", "look") and first < at:
            found.insert(first, item)
        else:
            found[at:] = [*found[at:], item]
    return found


def _linked(items: list[Item]) -> list[Item]:
    """With "from" for "of" before a time; "a card of christmas" is "a christmas card".

    An "and" that joins nothing is left out.
    """
    found: list[Item] = []
    for item in items:
        if item.english == "and" and (not found or found[-1].english == "and"):
            continue
        is_time = item.kind == "time" or _YEAR.fullmatch(item.english)
        of_the = [one.english for one in found[-2:]] == ["of", "the"]
        drawn = item.english in SEASONAL and found[-3:-2] and found[-3].kind in ("thing", "look")
        if is_time and of_the and not drawn:
            found[-2] = replace(found[-2], english="from")  # "of the spring"
        elif is_time and found and found[-1].english == "of":
            of = found.pop()
            if found and _DAY.fullmatch(found[-1].english):
                found.append(item)  # "11 de abril"
                continue
            if item.english in SEASONAL and found and found[-1].kind in ("thing", "look"):
                found.insert(-1, item)
                continue
            found.append(replace(of, english="from"))
        found.append(item)
    return found
