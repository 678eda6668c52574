"""Holidays (lexicon/en/times.yaml): what people call them, and when they are."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from ...lexicon.data import phrases_in
from ...lexicon.english import any_of, table
from .periods import WEEKDAYS, Period, days, easter, nth_weekday

_HOLIDAYS = table("times")["holidays"]
_CALLED = {
    name: holiday for holiday, about in _HOLIDAYS.items() for name in phrases_in(about["names"])
}
_ON = re.compile(
    r"(?:(?P<easter>easter)|(?P<month>\d+)-(?P<day>\d+)|(?P<nth>\d|last) (?P<weekday>\w+) (?P<of>\d+))"
    r"(?: (?P<more>[+-] \d+))?"
)
HOLIDAY = any_of(_CALLED)
"""A pattern of all their names."""
OF_ONE_WORD = frozenset(name for name in _CALLED if " " not in name)


def holiday(name: str, year: int, now: datetime) -> Period:
    """The holiday that is called so, of the year in which it begins."""
    about = _HOLIDAYS[_CALLED[re.sub(r"\s+", " ", name)]]
    return days(_first_day(about["on"], year), int(about.get("days", "1")), now)


def _first_day(on: str, year: int) -> date:
    found = _ON.fullmatch(on)
    assert found, on
    if found["easter"]:
        day = easter(year)
    elif found["weekday"]:
        nth = 0 if found["nth"] == "last" else int(found["nth"])
        day = nth_weekday(year, int(found["of"]), WEEKDAYS.index(found["weekday"]), nth)
    else:
        day = date(year, int(found["month"]), int(found["day"]))
    return day + timedelta(days=int((found["more"] or "0").replace(" ", "")))
