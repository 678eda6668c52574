"""Calendar periods, all looking back from a given moment: the last April, the week before, Easter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from ...lexicon.english import phrases, rows

MONTHS = tuple(rows("times", "months"))
"""In order: January is the first."""
WEEKDAYS = tuple(rows("times", "weekdays"))
"""In order, Monday first."""
SEASONS = {season: int(month) for season, (month,) in rows("times", "seasons").items()}
"""Season -> its first month, 1 to 12."""
_WEEKLY = {"week", *WEEKDAYS, *phrases("times", "weekdays")}
_MONTHS_OF = {"month": 1, "quarter": 3}


@dataclass(frozen=True)
class Period:
    """A stretch of time [start, end) with zone; None is open. `words` is how the user named it."""

    start: datetime | None
    end: datetime | None
    words: str = ""

    def __contains__(self, moment: datetime) -> bool:
        return (self.start is None or moment >= self.start) and (
            self.end is None or moment < self.end
        )

    def longer_than(self, length: timedelta) -> bool:
        """Whether it spans more than that; an open period does."""
        return self.start is None or self.end is None or self.end - self.start > length

    def named(self, words: str) -> Period:
        """The same period in other words."""
        return replace(self, words=words)


def midnight(day: date, now: datetime) -> datetime:
    """The start of a day in the zone of `now`."""
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)


def days(first: date, count: int, now: datetime) -> Period:
    """`count` whole days from `first`."""
    return Period(midnight(first, now), midnight(first + timedelta(days=count), now))


def add_months(day: date, count: int) -> date:
    """The first day of the month that lies `count` months after the month of `day`."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, 1)


def months_on(moment: datetime, count: int) -> datetime:
    """The moment `count` months later, on the last day of a month that is too short."""
    first = add_months(moment.date(), count)
    last = (add_months(first, 1) - timedelta(days=1)).day
    return moment.replace(year=first.year, month=first.month, day=min(moment.day, last))


def month(year: int, number: int, now: datetime, count: int = 1) -> Period:
    """`count` whole months from month `number` (1 to 12) of a year."""
    first = date(year, number, 1)
    return Period(midnight(first, now), midnight(add_months(first, count), now))


def year(number: int, now: datetime) -> Period:
    """The whole calendar year."""
    return month(number, 1, now, 12)


def week(day: date, now: datetime) -> Period:
    """The week, Monday to Sunday, that holds `day`."""
    return days(day - timedelta(days=day.weekday()), 7, now)


def latest(make, now: datetime, before: bool = False) -> Period:
    """The newest of the yearly periods `make(year)` that has begun, or with `before` the newest that is over."""
    for number in range(now.year + 1, now.year - 3, -1):
        period = make(number)
        if (period.end if before else period.start) <= now:
            return period
    raise ValueError("the period does not come every year")


def easter(number: int) -> date:
    """Easter Sunday of a year (the anonymous Gregorian algorithm)."""
    century = number // 100
    skipped = century - century // 4 - (8 * century + 13) // 25
    moon = (19 * (number % 19) + skipped + 15) % 30
    moon -= (moon > 28) or (moon == 28 and number % 19 > 10)
    weekday = (number + number // 4 + moon + 2 - century + century // 4) % 7
    offset = moon - weekday
    march = 3 + (offset + 40) // 44
    return date(number, march, offset + 28 - 31 * (march // 4))


def nth_weekday(number: int, month: int, weekday: int, nth: int) -> date:
    """The n-th such weekday (Monday is 0) of a month; the last one for n = 0."""
    if nth == 0:
        last = add_months(date(number, month, 1), 1) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(number, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


def part(period: Period, which: str) -> Period:
    """The early, middle or late third, or the first or second half, in whole days; an open period is left whole."""
    if period.start is None or period.end is None:
        return period
    length = period.end - period.start
    shares = {
        "early": (0, 1 / 3),
        "mid": (1 / 3, 2 / 3),
        "late": (2 / 3, 1),
        "first": (0, 0.5),
        "second": (0.5, 1),
    }
    low, high = shares[which]
    start = period.start + timedelta(days=round(length.days * low))
    end = period.end if high == 1 else period.start + timedelta(days=round(length.days * high))
    return Period(start, end, period.words)


def begun(whole: Period, which: str, now: datetime) -> Period:
    """A part of a period; where it is still to come, of the period before: "the end of the year" in May was last year's."""
    found = part(whole, which)
    if whole.start is None or whole.end is None or found.start is None or found.start <= now:
        return found
    start, end = (_again(edge, whole.words, -1) for edge in (whole.start, whole.end))
    return part(Period(start, end, whole.words), which)


def through(first: Period, last: Period) -> Period:
    """From the start of one period to the end of another, which comes after it: "March to May" in April ends next month."""
    start, end = first.start, last.end
    if start is not None and end is not None and end <= start:
        end = _again(end, last.words, 1)
    return Period(start, end)


def _again(edge: datetime, words: str, count: int) -> datetime:
    """An edge of the period that is called so, `count` weeks, months, quarters or years on: after as long as it comes again."""
    unit = words.split()[-1] if words else ""
    if unit in _WEEKLY:
        return edge + timedelta(days=7 * count)
    return months_on(edge, _MONTHS_OF.get(unit, 12) * count)


def beside(period: Period, unit: str, count: int, after: bool, now: datetime) -> Period:
    """The stretch right before or after a period: that weekend, or so many days, weeks or months up to it."""
    edge = period.end if after else period.start
    if edge is None:
        return period
    if unit == "weekend":
        step = (5 - edge.weekday()) % 7 if after else -((edge.weekday() - 5) % 7 or 7)
        return days(edge.date() + timedelta(days=step), 2, now)
    length = timedelta(days={"day": 1, "week": 7, "fortnight": 14, "month": 31}[unit] * count)
    return Period(edge, edge + length) if after else Period(edge - length, edge)


def around(period: Period) -> Period:
    """A period with room on both sides: half its length, from three days to two weeks; an open one is left as it is."""
    if period.start is None or period.end is None:
        return period
    room = min(max((period.end - period.start) / 2, timedelta(days=3)), timedelta(days=14))
    if (
        timedelta(days=2) <= period.end - period.start <= timedelta(days=5)
    ):  # holidays are remembered loosely
        room = timedelta(days=7)
    return Period(period.start - room, period.end + room, period.words)
