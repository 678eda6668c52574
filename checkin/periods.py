"""Calendar periods, all looking back from a given moment: the last April, the week before, Easter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

MONTHS = (
    "january february march april may june july august september october november december".split()
)  # position + 1 is the month
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # northern; the first month


@dataclass(frozen=True)
class Period:
    """A stretch of time [start, end) with zone; None is open. `words` is how the user named it."""

    start: datetime | None
    end: datetime | None
    words: str = ""

    def __contains__(self, moment: datetime) -> bool:
        return (self.start is None or moment >= self.start) and (self.end is None or moment < self.end)

    def longer_than(self, length: timedelta) -> bool:
        """Whether it spans more than that; an open period does."""
        return self.start is None or self.end is None or self.end - self.start > length

    def named(self, words: str) -> Period:
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


def month(year: int, number: int, now: datetime, count: int = 1) -> Period:
    """`count` whole months from month `number` (1 to 12) of a year."""
    first = date(year, number, 1)
    return Period(midnight(first, now), midnight(add_months(first, count), now))


def year(number: int, now: datetime) -> Period:
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


def thanksgiving(number: int) -> date:
    """The fourth Thursday of November."""
    first = date(number, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


def holiday(name: str, number: int, now: datetime) -> Period:
    """A holiday of the year in which it begins."""
    sunday = easter(number)
    first, count = {
        "christmas eve": (date(number, 12, 24), 1),
        "christmas day": (date(number, 12, 25), 1),
        "christmas": (date(number, 12, 24), 3),
        "boxing day": (date(number, 12, 26), 1),
        "new year's eve": (date(number, 12, 31), 1),
        "new year's day": (date(number, 1, 1), 1),
        "new year": (date(number, 12, 31), 2),
        "the holidays": (date(number, 12, 20), 15),
        "halloween": (date(number, 10, 31), 1),
        "valentine's": (date(number, 2, 14), 1),
        "easter": (sunday - timedelta(days=2), 4),
        "easter sunday": (sunday, 1),
        "easter monday": (sunday + timedelta(days=1), 1),
        "good friday": (sunday - timedelta(days=2), 1),
        "thanksgiving": (thanksgiving(number), 4),
    }[name]
    return days(first, count, now)


def part(period: Period, which: str) -> Period:
    """The early, middle or late third, or the first or second half, in whole days; an open period is left whole."""
    if period.start is None or period.end is None:
        return period
    length = period.end - period.start
    shares = {"early": (0, 1 / 3), "mid": (1 / 3, 2 / 3), "late": (2 / 3, 1), "first": (0, 0.5), "second": (0.5, 1)}
    low, high = shares[which]
    start = period.start + timedelta(days=round(length.days * low))
    end = period.end if high == 1 else period.start + timedelta(days=round(length.days * high))
    return Period(start, end, period.words)


def around(period: Period) -> Period:
    """A period with room on both sides: half its length, from three days to two weeks; an open one is left as it is."""
    if period.start is None or period.end is None:
        return period
    room = min(max((period.end - period.start) / 2, timedelta(days=3)), timedelta(days=14))
    if timedelta(days=2) <= period.end - period.start <= timedelta(days=5):  # holidays are remembered loosely
        room = timedelta(days=7)
    return Period(period.start - room, period.end + room, period.words)
