"""Times that count back from now: "last week", "two Fridays ago", "less than a month old"."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from . import periods
from .periods import WEEKDAYS, Period
from .time_words import COUNT, DAY_NAMES, UNIT, TimeRule, count_of, weekday_number

_DAYS = {"night": "day", "evening": "day"}


def _calendar_unit(unit: str, steps: int, now: datetime) -> Period:
    """The whole day, week, month or year that lies `steps` before (negative) or after the present one."""
    today = now.date()
    if unit == "day":
        return periods.days(today + timedelta(days=steps), 1, now)
    if unit == "week":
        return periods.week(today + timedelta(days=7 * steps), now)
    if unit == "month":
        first = periods.add_months(today, steps)
        return periods.month(first.year, first.month, now)
    if unit == "quarter":
        first = periods.add_months(date(today.year, (today.month - 1) // 3 * 3 + 1, 1), 3 * steps)
        return periods.month(first.year, first.month, now, 3)
    if unit == "weekend":
        saturday = today - timedelta(
            days=(today.weekday() - 5) % 7
        )  # the latest Saturday, today included
        ongoing = today.weekday() >= 5
        return periods.days(
            saturday + timedelta(days=7 * (steps + (0 if ongoing else 1 if steps else 0))), 2, now
        )
    return periods.year(today.year + steps, now)


def _relative(match: re.Match[str], now: datetime) -> Period:
    steps = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "the": 0}[
        match["which"]
    ]
    if match["which"] == "past" and match["unit"] in ("week", "month", "year"):
        return _trailing(1, match["unit"], now)
    return _calendar_unit(match["unit"], steps, now)


def _back(count: int, unit: str, now: datetime) -> datetime:
    """The moment `count` units ago."""
    if unit in ("month", "year"):
        first = periods.add_months(now.date(), -count * (12 if unit == "year" else 1))
        last = (periods.add_months(first, 1) - timedelta(days=1)).day
        return now.replace(year=first.year, month=first.month, day=min(now.day, last))
    hours = {"hour": 1, "day": 24, "week": 168, "fortnight": 336}[unit]
    return now - timedelta(hours=hours * count)


def _trailing(count: int, unit: str, now: datetime) -> Period:
    """The last `count` units up to now; days, weeks and more begin at midnight."""
    start = _back(count, unit, now)
    end = now + timedelta(seconds=1)
    return Period(start if unit == "hour" else periods.midnight(start.date(), now), end)


def _ago(match: re.Match[str], now: datetime) -> Period:
    """The day, week, month or year that lies so many units back; "a few" is a stretch of them."""
    unit, count = _DAYS.get(match["unit"], match["unit"]), count_of(match["count"])
    if unit == "hour":
        moment = _back(count, unit, now)
        return Period(moment - timedelta(hours=1), moment + timedelta(hours=1))
    if unit == "fortnight":
        unit, count = "week", 2 * count
    if re.search("few|some|several", match["count"]):
        return Period(
            _calendar_unit(unit, -count - 2, now).start, _calendar_unit(unit, -2, now).end
        )
    if "couple" in match["count"]:
        return Period(
            _calendar_unit(unit, -count - (unit == "day"), now).start,
            _calendar_unit(unit, -count, now).end,
        )
    return _calendar_unit(unit, -count, now)


def _weekday(match: re.Match[str], now: datetime) -> Period:
    """The latest such day before today; "two Fridays ago" and "before last" count further back."""
    fields = match.groupdict()
    today = now.date()
    number = weekday_number(fields["weekday"])
    if fields.get("week"):
        start = periods.week(today, now).start
        assert start is not None
        steps = {"last": -1, "this": 0}[fields["week"]]
        return periods.days(start.date() + timedelta(days=7 * steps + number), 1, now)
    back = (today.weekday() - number) % 7 or 7
    if fields.get("count"):
        back += 7 * (count_of(fields["count"]) - 1)
    if fields.get("beforelast") or fields.get("earlier"):
        back += 7
    return periods.days(today - timedelta(days=back), 1, now)


def _named_day(match: re.Match[str], now: datetime) -> Period:
    name = match.group()
    today = now.date()
    if name.startswith("day before"):
        return periods.days(today - timedelta(days=2), 1, now)
    if name.startswith("yesterday"):
        return periods.days(today - timedelta(days=1), 1, now)
    if name.startswith("tomorrow"):
        return periods.days(today + timedelta(days=1), 1, now)
    if name == "last night":
        start = periods.midnight(today - timedelta(days=1), now)
        return Period(start + timedelta(hours=17), start + timedelta(hours=31))
    if "other day" in name:
        return Period(
            periods.midnight(today - timedelta(days=7), now), periods.midnight(today, now)
        )
    return periods.days(today, 1, now)


def _half_ago(match: re.Match[str], now: datetime) -> Period:
    if match["whole"] == "year":
        return _calendar_unit("month", -6, now)
    return _calendar_unit("week", -2, now)


def _old(match: re.Match[str], now: datetime) -> Period:
    """Such as "older than a month", "less than two weeks old"."""
    moment = _back(count_of(match["count"]), match["unit"], now)
    young = re.match(r"newer|younger|less|at most|under|(?:no|not) (?:older|more)", match["how"])
    return Period(moment, None) if young else Period(None, moment)


RELATIVE: tuple[TimeRule, ...] = (
    (r"half\s+an?\s+(?P<whole>year|month)\s+ago", _half_ago, False),
    (rf"(?P<earlier>a\s+week\s+ago\s+(?:on\s+)?)(?P<weekday>{DAY_NAMES})", _weekday, False),
    (
        r"(?:(?<=start of )|(?<=beginning of )|(?<=end of )|(?<=middle of )|(?<=half of )|(?<=part of ))(?P<which>the)\s+"
        r"(?P<unit>week|month|year|quarter)",
        _relative,
        False,
    ),
    (
        rf"(?P<how>(?:not?\s+)?(?:older|newer|younger))\s+than\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?",
        _old,
        False,
    ),
    (
        rf"(?P<how>(?:not?\s+)?(?:less|more)|at least|at most|over|under)(?:\s+than)?\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?\s+(?:old|ago)",
        _old,
        False,
    ),
    (rf"(?P<count>{COUNT})\s+(?P<weekday>{DAY_NAMES})s\s+ago", _weekday, False),
    (rf"(?P<weekday>{DAY_NAMES})\s+(?P<beforelast>before\s+last)", _weekday, False),
    (rf"(?P<weekday>{DAY_NAMES})\.?\s+(?:of\s+)?(?P<week>last|this)\s+week", _weekday, False),
    (rf"(?P<week>last|this)\s+week(?:'s)?\s+(?P<weekday>{DAY_NAMES})", _weekday, False),
    (
        r"(?P<unit>week|month|year|weekend)\s+before\s+last",
        lambda m, now: _calendar_unit(m["unit"], -2, now),
        False,
    ),
    (
        rf"(?:in\s+|within\s+|over\s+|during\s+)?(?:the\s+)?(?:last|past|previous)\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?",
        lambda m, now: _trailing(count_of(m["count"]), m["unit"], now),
        False,
    ),
    (r"(?:the\s+)?(?:last|past)\s+fortnight", lambda m, now: _trailing(1, "fortnight", now), False),
    (
        rf"(?:in|within)\s+the\s+last\s+(?P<unit>{UNIT})",
        lambda m, now: _trailing(1, m["unit"], now),
        False,
    ),
    (rf"(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?(?:\s+or\s+so)?\s+(?:ago|back)", _ago, False),
    (rf"(?P<count>{COUNT})[\s-](?P<unit>hour|day|week|month)s?[\s-]old", _ago, False),
    (
        r"(?P<which>last|previous|past|this|current|next)\s+(?P<unit>weekend|week|month|year|quarter)",
        _relative,
        False,
    ),
    (
        r"(?P<which>the)\s+(?P<unit>weekend)(?!\s+(?:before|after)\b)",
        lambda m, now: _calendar_unit("weekend", -1, now),
        False,
    ),
    (
        r"day before yesterday|yesterday(?:\s+(?:morning|afternoon|evening|night))?|today|tonight|tomorrow|last night|"
        r"this (?:morning|afternoon|evening)|(?:just )?the other day",
        _named_day,
        False,
    ),
    (rf"(?:(?:last|past|this)\s+)?(?P<weekday>{'|'.join(WEEKDAYS)})", _weekday, False),
    (
        r"(?:(?<=on )|(?<=from )|(?<=since )|(?:last|this) )(?P<weekday>mon|tues|tue|wed|thurs|thu|fri|sat|sun)\.?",
        _weekday,
        False,
    ),
)
