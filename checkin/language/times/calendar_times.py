"""Times that stand in a calendar: days, months, seasons, holidays, quarters, years."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from ...lexicon.english import after, any_of, one_of, phrases
from . import periods
from .holidays import HOLIDAY, holiday
from .periods import SEASONS, Period
from .time_words import (
    AFTER_WORD,
    COUNT,
    DAY_NAMES,
    LAST,
    LAST_OR_THIS,
    MONTH_NAMES,
    NTH,
    OF,
    ORD,
    SPELT_DAY,
    WHICH,
    WHICH_WORDS,
    YEAR,
    TimeRule,
    count_of,
    day_number,
    month_number,
    weekday_number,
    year_number,
)


def _day(match: re.Match[str], now: datetime) -> Period | None:
    """A day of the calendar; without a year the latest one that has begun. "31 April" is none."""
    fields = match.groupdict()
    named = fields["month"]
    month = month_number(named) if named.isalpha() else int(named)
    return _date(day_number(fields["day"]), month, fields.get("year"), now)


def _date(day: int, month: int, year: str | None, now: datetime) -> Period | None:
    try:
        if year:
            return periods.days(date(year_number(year), month, day), 1, now)
        if (day, month) == (29, 2):
            return periods.days(
                date(now.year - (now.year % 4 or 4 * ((now.month, now.day) < (2, 29))), 2, 29),
                1,
                now,
            )
        return periods.latest(lambda year: periods.days(date(year, month, day), 1, now), now)
    except ValueError:
        return None


def _days(match: re.Match[str], now: datetime) -> Period | None:
    """Such as "3 to 10 April"."""
    month = month_number(match["month"])
    first, last = (
        _date(day_number(match[name]), month, match["year"], now) for name in ("day", "day2")
    )
    return periods.through(first, last) if first and last else None


def _slashed(match: re.Match[str], now: datetime) -> tuple[Period, ...] | None:
    """Such as "14/04/2025"; where both numbers can be the month, either reading."""
    one, two = int(match["one"]), int(match["two"])
    both = [
        _date(day, month, match["year"], now)
        for day, month in ((one, two), (two, one))
        if month <= 12
    ]
    return tuple(dict.fromkeys(filter(None, both))) or None


def _yearly(make: Callable[[int], Period], match: re.Match[str], now: datetime) -> Period:
    """A period that comes every year, with the year or the "last" named in the match."""
    fields = match.groupdict()
    if fields.get("year"):
        return make(year_number(fields["year"]))
    if fields.get("lastyear") or fields.get("lastyear2"):
        return make(now.year - 1)
    if fields.get("thisyear"):
        return make(now.year)
    if fields.get("which") in WHICH_WORDS["after"]:
        return make(now.year + (make(now.year).start <= now))  # type: ignore[operator]
    return periods.latest(make, now, before=fields.get("which") in WHICH_WORDS["before"])


def _back(make: Callable[[int], Period], count: int, now: datetime) -> Period:
    """The yearly period that began `count` times ago: 1 is the latest."""
    latest = periods.latest(make, now).start
    assert latest is not None
    return make(latest.year - count + 1)


def _months_ago(match: re.Match[str], now: datetime) -> Period:
    """Such as "two Aprils ago", "the winter before last"."""
    name, count = match["name"], count_of(match["count"] or "two")
    if name in SEASONS:
        return _back(lambda year: periods.month(year, SEASONS[name], now, 3), count, now)
    return _back(lambda year: periods.month(year, month_number(name), now), count, now)


def _month(match: re.Match[str], now: datetime) -> Period:
    number = month_number(match["month"])
    return _yearly(lambda year: periods.month(year, number, now), match, now)


def _season(match: re.Match[str], now: datetime) -> Period:
    first = SEASONS[match["season"]]
    # Winter 2025 is the one that ends in 2025; "last year's winter" likewise.
    shift = -1 if first == 12 and (match["year"] or match["lastyear"]) else 0
    return _yearly(lambda year: periods.month(year + shift, first, now, 3), match, now)


def _holiday(match: re.Match[str], now: datetime) -> Period:
    name = match["holiday"]
    return _yearly(lambda year: holiday(name, year, now), match, now)


def _nth_of(match: re.Match[str], now: datetime) -> Period:
    """Such as "the first week of April", "the last Friday in March", "the last day of the year"; the first week are its first 7 days."""
    whole = _whole(match, now)
    assert whole.start is not None
    assert whole.end is not None
    first, last = whole.start.date(), whole.end.date() - timedelta(days=1)
    nth, unit = NTH[match["nth"]], match["unit"]
    if unit in ("day", "week"):
        count = 7 if unit == "week" else 1
        start = (
            first + timedelta(days=count * (nth - 1)) if nth else last - timedelta(days=count - 1)
        )
        return periods.days(start, count, now)
    number = 5 if unit == "weekend" else weekday_number(unit)
    if nth:
        start = first + timedelta(days=(number - first.weekday()) % 7 + 7 * (nth - 1))
    else:
        start = last - timedelta(days=(last.weekday() - number) % 7)
    return periods.days(start, 2 if unit == "weekend" else 1, now)


def _whole(match: re.Match[str], now: datetime) -> Period:
    """The month or year that a match names: by its name, or as this or the last one."""
    if match["month"]:
        return _month(match, now)
    steps = -1 if re.search(LAST, match["whole"]) else 0
    today = now.date()
    if match["whole"].endswith("year"):
        return periods.year(today.year + steps, now)
    first = periods.add_months(today, steps)
    return periods.month(first.year, first.month, now)


def _day_of_whole(match: re.Match[str], now: datetime) -> Period | None:
    """Such as "the 12th of last month"."""
    start = _whole(match, now).start
    assert start is not None
    return _date(day_number(match["day"]), start.month, str(start.year), now)


def _weekdays_of(match: re.Match[str], now: datetime) -> tuple[Period, ...]:
    """Such as "a Tuesday in April": any of them."""
    whole = _whole(match, now)
    assert whole.start is not None
    assert whole.end is not None
    first = whole.start.date()
    first += timedelta(days=(weekday_number(match["unit"]) - first.weekday()) % 7)
    count = (whole.end.date() - first - timedelta(days=1)).days // 7 + 1
    return tuple(periods.days(first + timedelta(days=7 * week), 1, now) for week in range(count))


def _half(match: re.Match[str], now: datetime) -> Period:
    return periods.month(year_number(match["year"]), 6 * int(match["half"]) - 5, now, 6)


def _quarter(match: re.Match[str], now: datetime) -> Period:
    number = int(match["q"]) if match["q"].isdecimal() else NTH[match["q"]] or 4
    return _yearly(lambda year: periods.month(year, 3 * number - 2, now, 3), match, now)


def _day_of_month(match: re.Match[str], now: datetime) -> Period | None:
    """Such as "the 11th": of this month, or of the one before when it is still to come."""
    number = day_number(match["day"])
    for steps in (0, -1, -2):
        first = periods.add_months(now.date(), steps)
        try:
            day = first.replace(day=number)
        except ValueError:
            continue
        if day <= now.date():
            return periods.days(day, 1, now)
    return None


_SEASON = any_of(SEASONS)
_IN_YEAR = rf"(?:{OF}(?P<year>{YEAR})|{OF}(?P<lastyear>last\s+year)|{OF}(?P<thisyear>this\s+year))?"
_AFTER_LAST_YEAR = r"(?:(?P<lastyear2>last\s+year)(?:'s)?\s+)?"
_A_DAY = rf"\d\d?{ORD}|(?:{SPELT_DAY})"
_WEEKDAY_FIRST = rf"(?:(?:{DAY_NAMES})\.?,?\s+)?(?:the\s+)?"
_WHOLE = rf"(?:{WHICH}(?P<month>{MONTH_NAMES}){_IN_YEAR}|(?P<whole>(?:(?:the\s+)?{LAST_OR_THIS}|the)\s+(?:month|year)))"
_THIS_NTH = any_of(NTH)

DAYS: tuple[TimeRule, ...] = (
    (r"(?P<year>20\d\d)[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)(?:t[\d:.+z-]*)?", _day, False),
    (r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>20\d\d)", _day, False),
    (r"(?P<year>20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])", _day, False),
    (r"(?P<one>\d\d?)(?P<sign>[/-])(?P<two>\d\d?)(?P=sign)(?P<year>20\d\d)", _slashed, False),
    (rf"{AFTER_WORD}(?P<day>\d\d?)\.(?P<month>0[1-9]|1[0-2])\.", _day, False),
    (rf"{AFTER_WORD}(?P<one>\d\d?)/(?P<two>\d\d?)(?P<year>(?!))?", _slashed, False),
    (
        r"(?P<year>20\d\d)[-/](?P<m>0[1-9]|1[0-2])",
        lambda m, now: periods.month(int(m["year"]), int(m["m"]), now),
        False,
    ),
    (
        r"(?P<m>0?[1-9]|1[0-2])/(?P<year>20\d\d)",
        lambda m, now: periods.month(int(m["year"]), int(m["m"]), now),
        False,
    ),
    (
        rf"(?:(?:from|between)\s+)?(?:the\s+)?(?P<day>\d\d?){ORD}\s*(?:-|to|until|through|and)\s*(?:the\s+)?(?P<day2>\d\d?){ORD}(?:\s+of)?\s+"
        rf"(?P<month>{MONTH_NAMES})\.?(?:,?\s+(?P<year>{YEAR}))?",
        _days,
        False,
    ),
    (
        rf"(?P<month>{MONTH_NAMES})\.?\s+(?:the\s+)?(?P<day>\d\d?){ORD}\s*(?:-|to|until|through)\s*(?:the\s+)?(?P<day2>\d\d?){ORD}"
        rf"(?:,?\s+(?P<year>{YEAR}))?",
        _days,
        False,
    ),
    (
        rf"{_WEEKDAY_FIRST}(?P<day>{_A_DAY})\.?(?:\s+of)?\s+(?P<month>{MONTH_NAMES})\.?(?:,?\s+(?:(?:of|from)\s+)?(?P<year>{YEAR}))?",
        _day,
        False,
    ),
    (
        rf"{_WEEKDAY_FIRST}(?P<month>{MONTH_NAMES})\.?\s+(?:the\s+)?(?P<day>{_A_DAY})(?!\d|\s*(?:dogs|cats|am|pm))"
        rf"(?:,?\s+(?P<year>{YEAR}))?",
        _day,
        False,
    ),
    (
        rf"(?P<nth>{_THIS_NTH})\s+(?P<unit>day|week|weekend|{DAY_NAMES})\s+(?:of|in)\s+{_WHOLE}",
        _nth_of,
        False,
    ),
    (rf"(?:an?|one|some)\s+(?P<unit>{DAY_NAMES})\s+(?:of|in)\s+{_WHOLE}", _weekdays_of, False),
    (
        rf"(?:the\s+)?(?P<day>\d\d?(?:st|nd|rd|th)|{SPELT_DAY})\s+of\s+{_WHOLE}",
        _day_of_whole,
        False,
    ),
)
MONTHS_AND_MORE: tuple[TimeRule, ...] = (
    (rf"q(?P<q>[1-4]){_IN_YEAR}", _quarter, False),
    (
        rf"(?!{LAST}\s+quarter(?!,?\s+(?:of|in|{YEAR})\b))(?P<q>{_THIS_NTH})\s+quarter{_IN_YEAR}",
        _quarter,
        False,
    ),
    (rf"h(?P<half>[12])\s+(?:of\s+)?(?P<year>{YEAR})", _half, False),
    (
        rf"{_AFTER_LAST_YEAR}{WHICH}(?P<holiday>{HOLIDAY}){_IN_YEAR}",
        _holiday,
        True,
    ),
    (
        rf"(?P<count>{COUNT})\s+(?P<name>{MONTH_NAMES}|{_SEASON})s\s+ago",
        _months_ago,
        False,
    ),
    (
        rf"(?P<count>(?!))?(?P<name>{MONTH_NAMES}|{_SEASON})\s+before\s+last",
        _months_ago,
        False,
    ),
    (rf"{_AFTER_LAST_YEAR}{WHICH}(?P<season>{_SEASON}){_IN_YEAR}", _season, True),
    (rf"{_AFTER_LAST_YEAR}{WHICH}(?P<month>{MONTH_NAMES})\.?{_IN_YEAR}", _month, True),
)
DAYS_OF_THIS_MONTH: tuple[TimeRule, ...] = (
    (
        rf"(?:{AFTER_WORD}the|(?:{DAY_NAMES}),?\s+the)\s+(?P<day>\d\d?(?:st|nd|rd|th)|{SPELT_DAY})"
        r"(?=\s*$|[,.!?;)]|\s+(?:with|in|on|at|as|please|wearing|next|and|or|to)\b)",
        _day_of_month,
        False,
    ),
)
YEARS: tuple[TimeRule, ...] = (
    (
        rf"(?:(?:the\s+)?year\s+)?(?P<year>20[0-4]\d)(?!\s+{one_of('times', 'counted')}\b)",
        lambda m, now: periods.year(int(m["year"]), now),
        False,
    ),
    (
        rf"{after(phrases('times', 'left of years'))}(?P<year>'[0-4]\d)",
        lambda m, now: periods.year(year_number(m["year"]), now),
        False,
    ),
)
