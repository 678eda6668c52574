"""Times that count back from now: "last week", "two Fridays ago", "less than a month old"."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from ...lexicon.english import after, any_of, one_of, phrases, rows
from . import periods
from .periods import WEEKDAYS, Period
from .time_words import (
    COUNT,
    DAY_NAMES,
    LAST,
    LAST_OR_THIS,
    SHORT_DAYS,
    UNIT,
    WHICH_WORDS,
    TimeRule,
    count_of,
    is_rough,
    unit_of,
    weekday_number,
)

_STEPS = {
    **{
        which: steps
        for when, steps in (("before", -1), ("now", 0), ("after", 1))
        for which in WHICH_WORDS[when]
    },
    "the": 0,
}
_NAMED_DAYS = {name: int(days) for days, of in rows("times", "named days").items() for name in of}
_OTHER_DAY = one_of("times", "some day")
_AGES = rows("times", "ages")
_YOUNG = re.compile(any_of(_AGES["newer than"], _AGES["less than"]))
_BACK = one_of("times", "back")


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
    if match["which"] == "past" and match["unit"] in ("week", "month", "year"):
        return _trailing(1, match["unit"], now)
    return _calendar_unit(match["unit"], _STEPS[match["which"]], now)


def _back(count: int, unit: str, now: datetime) -> datetime:
    """The moment `count` units ago."""
    unit = unit_of(unit)
    if unit in ("month", "year"):
        return periods.months_on(now, -count * (12 if unit == "year" else 1))
    hours = {"hour": 1, "day": 24, "week": 168, "fortnight": 336}[unit]
    return now - timedelta(hours=hours * count)


def _trailing(count: int, unit: str, now: datetime) -> Period:
    """The last `count` units up to now; days, weeks and more begin at midnight."""
    start = _back(count, unit, now)
    end = now + timedelta(seconds=1)
    return Period(start if unit == "hour" else periods.midnight(start.date(), now), end)


def _ago(match: re.Match[str], now: datetime) -> Period:
    """The day, week, month or year that lies so many units back; "a few" is a stretch of them."""
    unit, count = unit_of(match["unit"]), count_of(match["count"])
    if unit == "hour":
        moment = _back(count, unit, now)
        return Period(moment - timedelta(hours=1), moment + timedelta(hours=1))
    if unit == "fortnight":
        unit, count = "week", 2 * count
    rough = is_rough(match["count"])
    if rough and count_of(match["count"]) > 2:
        return Period(
            _calendar_unit(unit, -count - 2, now).start, _calendar_unit(unit, -2, now).end
        )
    if rough:
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
        steps = _STEPS[fields["week"]]
        return periods.days(start.date() + timedelta(days=7 * steps + number), 1, now)
    back = (today.weekday() - number) % 7 or 7
    if fields.get("count"):
        back += 7 * (count_of(fields["count"]) - 1)
    if fields.get("beforelast") or fields.get("earlier"):
        back += 7
    return periods.days(today - timedelta(days=back), 1, now)


def _named_day(match: re.Match[str], now: datetime) -> Period:
    today = now.date()
    if match["night"]:
        start = periods.midnight(today - timedelta(days=1), now)
        return Period(start + timedelta(hours=17), start + timedelta(hours=31))
    if match["other"]:
        return Period(
            periods.midnight(today - timedelta(days=7), now), periods.midnight(today, now)
        )
    return periods.days(
        today + timedelta(days=_NAMED_DAYS[" ".join(match["named"].split())]), 1, now
    )


def _half_ago(match: re.Match[str], now: datetime) -> Period:
    count = count_of(match["count"]) if match["count"] else 0
    if "year" in match.group("whole", "wholes", "each"):
        return _calendar_unit("month", -12 * count - 6, now)
    return _calendar_unit("week", -round(4.35 * (count + 0.5)), now)


def _old(match: re.Match[str], now: datetime) -> Period:
    """Such as "older than a month", "less than two weeks old"."""
    moment = _back(count_of(match["count"]), match["unit"], now)
    young = (_YOUNG.fullmatch(match["how"]) is None) == bool(match["no"])
    return Period(moment, None) if young else Period(None, moment)


RELATIVE: tuple[TimeRule, ...] = (
    (
        rf"(?:half\s+an?\s+(?P<whole>year|month)|(?P<count>{COUNT})\s+(?:and\s+a\s+half\s+"
        r"(?P<each>year|month)s|(?P<wholes>year|month)s?\s+and\s+a\s+half))\s+ago",
        _half_ago,
        False,
    ),
    (rf"(?P<earlier>a\s+week\s+ago\s+(?:on\s+)?)(?P<weekday>{DAY_NAMES})", _weekday, False),
    (
        r"(?:(?<=start of )|(?<=beginning of )|(?<=end of )|(?<=middle of )|(?<=half of )|(?<=part of ))(?P<which>the)\s+"
        r"(?P<unit>week|month|year|quarter)",
        _relative,
        False,
    ),
    (
        rf"(?P<no>not?\s+)?(?P<how>{any_of(_AGES['older than'], _AGES['newer than'])})\s+than\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?",
        _old,
        False,
    ),
    (
        rf"(?P<no>not?\s+)?(?P<how>{any_of(_AGES['more than'], _AGES['less than'])})(?:\s+than)?\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?"
        rf"\s+(?:old|{_BACK})",
        _old,
        False,
    ),
    (rf"(?P<count>{COUNT})\s+(?P<weekday>{DAY_NAMES})s\s+ago", _weekday, False),
    (rf"(?P<weekday>{DAY_NAMES})\s+(?P<beforelast>before\s+last)", _weekday, False),
    (rf"(?P<weekday>{DAY_NAMES})\.?\s+(?:of\s+)?(?P<week>{LAST_OR_THIS})\s+week", _weekday, False),
    (rf"(?P<week>{LAST_OR_THIS})\s+week(?:'s)?\s+(?P<weekday>{DAY_NAMES})", _weekday, False),
    (
        r"(?P<unit>week|month|year|weekend)\s+before\s+last",
        lambda m, now: _calendar_unit(m["unit"], -2, now),
        False,
    ),
    (
        rf"(?:in\s+|within\s+|over\s+|during\s+)?(?:the\s+)?{LAST}\s+(?P<count>{COUNT})\s+(?P<unit>{UNIT})s?",
        lambda m, now: _trailing(count_of(m["count"]), m["unit"], now),
        False,
    ),
    (rf"(?:the\s+)?{LAST}\s+fortnight", lambda m, now: _trailing(1, "fortnight", now), False),
    (
        rf"(?:in|within)\s+the\s+{LAST}\s+(?P<unit>{UNIT})",
        lambda m, now: _trailing(1, m["unit"], now),
        False,
    ),
    (rf"(?P<count>{COUNT})\s*(?P<unit>{UNIT})s?(?:\s+or\s+so)?\s+{_BACK}", _ago, False),
    (rf"(?P<count>{COUNT})[\s-](?P<unit>hour|day|week|month)s?[\s-]old", _ago, False),
    (
        rf"(?P<which>{any_of(*WHICH_WORDS.values())})\s+(?P<unit>weekend|week|month|year|quarter)",
        _relative,
        False,
    ),
    (
        r"(?P<which>the)\s+(?P<unit>weekend)(?!\s+(?:before|after)\b)",
        lambda m, now: _calendar_unit("weekend", -1, now),
        False,
    ),
    (
        rf"(?P<night>last night)|(?P<other>{_OTHER_DAY})|(?P<named>{any_of(_NAMED_DAYS)})",
        _named_day,
        False,
    ),
    (rf"(?:{LAST_OR_THIS}\s+)?(?P<weekday>{'|'.join(WEEKDAYS)})", _weekday, False),
    (
        rf"(?:{after(phrases('times', 'left of short days'))}|{LAST_OR_THIS} )(?P<weekday>{any_of(SHORT_DAYS)})\.?",
        _weekday,
        False,
    ),
)
