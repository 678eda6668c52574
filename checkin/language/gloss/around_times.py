"""What stands around times, in the order of English: "before christmas", "from march to may"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...lexicon import CARDINALS
from ...lexicon.english import phrases
from ...lexicon.languages import Profile
from ..times.periods import MONTHS
from .reader import Item

_BOUNDS = frozenset({"before", "after", "since", "until"})
_PARTS = frozenset({"beginning of", "middle of", "end of"})
_ONLY_BEHIND = _BOUNDS | {"to"}
_LINKS = frozenset({"at", "to", "since", "until"})
"""What may stand between the ends of a stretch: "de marzo a mayo"."""
_DAY = "day"
"""The English of a mark behind the number of a day."""
_UNITS = frozenset({"days", "weeks", "months"})
_LAST = frozenset({"the last", "newest"})
_UNCOUNTED = ("the last", "time")
"""It says nothing without a number of days behind it."""
_UNTIL = frozenset({"until"})
_ALONE = _ONLY_BEHIND | _UNITS
"""What says nothing where it does not stand beside a time."""
_DATE = re.compile(r"20\d\d[./-]\d\d?[./-]\d\d?|(?P<day>\d\d?)\.(?P<month>[1-9]|1[0-2])\.")
_NUMBER = re.compile(r"\d\d?\.?")
_DAYS = phrases("numbers", "ordinals")
_WITH_DOT = frozenset(f"{number}." for number in range(1, len(_DAYS) + 1))
_YEAR = re.compile(r"20\d\d")


def around_times(items: Sequence[Item], language: Profile) -> list[Item]:
    """The items of a clause with what belongs to a time before it.

    It stands behind the time where particles do. What means that only beside times, such as "vor"
    for "before", is told by the language's data (`Profile.around`).
    """
    behind = language.head_last or language.clauses_first
    found: list[Item] = []
    for at, item in enumerate(items):
        before, after = _ends_with_time(found), _begins_with_time(items[at + 1 :])
        meant = replace(item, english=language.around.get(item.english, item.english), kind="time")
        if date := _DATE.fullmatch(item.english):
            said = date["day"] and f"{date['day']} {MONTHS[int(date['month']) - 1]}"
            found.append(replace(item, english=said or item.english, kind="time"))
        elif item.kind == "kept" and not behind and not after and _is_day(item, found):
            day = _DAYS[int(item.english[:-1]) - 1]
            found[-1:] = [replace(item, english=f"from the {day}", kind="time")]
        elif item.kind == "mark" and item.english == _DAY:
            _name_day(found, alone=language.head_last)
        elif item.kind == "time" and item.english in _UNITS and _counts_back(found):
            of, number = found[-2:]
            english = f"the last {number.english} {item.english}"
            found[-2:] = [replace(of, english=english, kind="time", end=item.end)]
        elif before and after and meant.english in _LINKS:
            found.append(replace(meant, english="to"))
        elif behind and before and meant.english in _BOUNDS | _PARTS:
            found.insert(_start_of_time(found), meant)
        elif not behind and after and meant.english in _BOUNDS:
            found.append(meant)
        elif not (item.kind == "time" and item.english in (_ALONE if behind else _UNTIL)):
            found.append(item)
    return [one for one in found if not (behind and (one.english, one.kind) == _UNCOUNTED)]


def _is_day(item: Item, found: Sequence[Item]) -> bool:
    """Whether a number with a dot is a day of the month, behind "of": "vom 3."."""
    return bool(found) and found[-1].english == "of" and item.english in _WITH_DOT


def _counts_back(found: Sequence[Item]) -> bool:
    """Whether "the last" and a number stand at the end."""
    numbers = [one.english.isdigit() or one.english in CARDINALS for one in found[-1:]]
    return numbers == [True] and len(found) > 1 and found[-2].english in _LAST


def _name_day(found: list[Item], alone: bool) -> None:
    """A number as that of a day: "on the third", behind a month "3"; or as one of days."""
    said = found[-1].english if found else ""
    number = str(CARDINALS.get(said, said))
    if not number.isdigit() or len(number) > 2:
        return
    if _counts_back(found):
        found[-2:] = [replace(found[-2], english=f"the last {number} days", kind="time")]
    elif _ends_with_time(found[:-1]):
        found[-1] = replace(found[-1], english=number)
    elif alone and 0 < int(number) <= len(_DAYS):
        found[-1] = replace(found[-1], english=f"on the {_DAYS[int(number) - 1]}", kind="time")


def _is_time(item: Item) -> bool:
    named = item.kind == "time" and item.english not in _ONLY_BEHIND
    return named or _YEAR.fullmatch(item.english) is not None


def _begins_with_time(items: Sequence[Item]) -> bool:
    """Whether a time follows, after "the" or the number of a day."""
    said = [one for one in items[:4] if one.english not in ("", "the")]
    number = bool(said) and _NUMBER.fullmatch(said[0].english) is not None
    return any(map(_is_time, said[number : number + 1]))


def _ends_with_time(items: Sequence[Item]) -> bool:
    """Whether the last item is a time, or the number of a day behind its month."""
    number = bool(items) and _NUMBER.fullmatch(items[-1].english) is not None
    return any(map(_is_time, items[-2:-1] if number else items[-1:]))


def _start_of_time(found: Sequence[Item]) -> int:
    """Where the time begins with which some items end."""
    at = len(found)
    while at and (_is_time(found[at - 1]) or _NUMBER.fullmatch(found[at - 1].english)):
        at -= 1
    return at
