"""Periods as people name them, seen from a moment: days, weeks, months, seasons."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from .demand import Time

MONTHS = (
    "January February March April May June July August September October November December".split()
)


def month(now: datetime, back: int) -> tuple[datetime, datetime]:
    """Return the calendar month that is `back` months before that of `now`."""
    first = now.year * 12 + now.month - 1 - back
    start, end = (
        now.replace(year=m // 12, month=m % 12 + 1, day=1, hour=0, minute=0)
        for m in (first, first + 1)
    )
    return start, end


def short_times(now: datetime, chance: random.Random) -> list[Time]:
    """Return periods of up to a month."""
    day = now.replace(hour=0, minute=0)
    monday = day - timedelta(days=day.weekday())
    week = timedelta(days=7)
    found = [
        Time("yesterday", day - timedelta(days=1), day),
        Time("last week", monday - week, monday),
        Time("this week", monday, monday + week),
        Time("the week before last", monday - 2 * week, monday - week),
        Time("two days ago", day - timedelta(days=2), day - timedelta(days=1)),
        Time("last month", *month(now, 1)),
        Time("this month", *month(now, 0)),
    ]
    for back in range(1, 12):
        start, end = month(now, back)
        name = MONTHS[start.month - 1]
        if back <= 4:
            found.append(Time(name, start, end))
        found.append(Time(f"{name} {start.year}", start, end))
        found.append(
            Time(
                f"the first half of {name}",
                start,
                start + timedelta(days=round((end - start).days / 2)),
            )
        )
    for _ in range(6):
        date = day - timedelta(days=chance.randint(10, 300))
        found.append(
            Time(f"{date.day} {MONTHS[date.month - 1]} {date.year}", date, date + timedelta(days=1))
        )
    return found


def long_times(now: datetime) -> list[Time]:
    """Return periods of several months."""
    year = now.replace(month=1, day=1, hour=0, minute=0)
    spring, winter = year.replace(month=3), year.replace(year=now.year - 1, month=12)
    return [
        Time("spring", spring, spring.replace(month=6)),
        Time("last winter", winter, spring),
        Time("last autumn", winter.replace(month=9), winter),
        Time("last summer", winter.replace(month=6), winter.replace(month=9)),
        Time("this year", year, year.replace(year=now.year + 1)),
        Time("2024", year.replace(year=now.year - 1), year),
        Time("between February and April", year.replace(month=2), year.replace(month=5)),
        Time("the last three months", now.replace(hour=0) - timedelta(days=89), now),
    ]


def empty_times(now: datetime) -> list[Time]:
    """Return periods before anybody trained anything, and future ones."""
    year = now.replace(month=1, day=1, hour=0, minute=0)
    return [
        Time("2022", year.replace(year=2022), year.replace(year=2023)),
        Time("March 2023", year.replace(year=2023, month=3), year.replace(year=2023, month=4)),
        Time("next week", now + timedelta(days=4), now + timedelta(days=11)),
        Time(
            "Christmas 2021",
            year.replace(year=2021, month=12, day=24),
            year.replace(year=2021, month=12, day=27),
        ),
    ]
