"""Further readings of a request, for where nothing fits the likeliest one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from .intent import Intent, TimeTerm
from .times.periods import MONTHS, SEASONS, Period, month

_MONTH_AND_NUMBER = re.compile(rf"^({'|'.join(MONTHS)}) '?(\d\d)$", re.IGNORECASE)
_LAST = re.compile(rf"^last (?:{'|'.join((*MONTHS, *SEASONS))})$", re.IGNORECASE)


def other_readings(intent: Intent, now: datetime) -> list[Intent]:
    """The intent with times read in another way: "November 23" as a month of 2023, and "last
    summer" as that of the year before.
    """
    others = [_other(term, now) for term in intent.times]
    if not any(others):
        return []
    times = tuple(other or term for other, term in zip(others, intent.times, strict=True))
    return [replace(intent, times=times)]


def _other(term: TimeTerm, now: datetime) -> TimeTerm | None:
    if found := _MONTH_AND_NUMBER.match(term.words):
        year = 2000 + int(found[2])
        number = MONTHS.index(found[1].casefold()) + 1
        return replace(term, periods=(month(year, number, now),)) if year <= now.year else None
    if _LAST.match(term.words):
        return replace(term, periods=tuple(_year_before(one) for one in term.periods))
    return None


def _year_before(period: Period) -> Period:
    start, end = period.start, period.end
    return Period(
        start and start.replace(year=start.year - 1),
        end and end.replace(year=end.year - 1),
        period.words,
    )
