"""One simple time in a text ("last week", "3 November", "spring '24", "two Fridays ago") as a calendar period."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from . import periods
from .periods import MONTHS, SEASONS, WEEKDAYS, Period

MONTH_NAMES = "|".join([*MONTHS, "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"])
_DAY = "|".join([*WEEKDAYS, "mon|tues|tue|wed|thurs|thur|thu|fri|sat|sun"])
_YEAR = r"20\d\d|'\d\d"
_COUNTS = {
    **dict(zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True)),
    **{"a": 1, "an": 1, "couple of": 2, "couple": 2, "few": 3, "several": 4, "half a dozen": 6, "dozen": 12},
}
_COUNT = r"\d{1,3}|half a dozen|a couple of|a couple|a few|a dozen|" + "|".join(sorted(_COUNTS, key=len, reverse=True))
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": 0}
_UNIT = "hour|day|week|fortnight|month|year"
_OF = r"(?:,?\s+(?:of|in|from)?\s*(?:the\s+)?)"

Handler = Callable[[re.Match[str], datetime], Period | None]


def _month_number(name: str) -> int:
    return [month[:3] for month in MONTHS].index(name[:3]) + 1


def _weekday_number(name: str) -> int:
    return [day[:3] for day in WEEKDAYS].index(name[:3])


def _year_number(text: str) -> int:
    return 2000 + int(text[1:]) if text.startswith("'") else int(text)


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _COUNTS[re.sub(r"^a (?=\w)", "", text)]


def _day(match: re.Match[str], now: datetime) -> Period | None:
    """A day of the calendar; without a year the latest one that has begun."""
    fields = match.groupdict()
    number, named = (
        int(fields["day"]),
        _month_number(fields["month"]) if fields["month"].isalpha() else int(fields["month"]),
    )
    try:
        if fields.get("year"):
            return periods.days(date(_year_number(fields["year"]), named, number), 1, now)
        if number == 29 and named == 2:
            return periods.days(date(now.year - (now.year % 4 or 4 * (now.month < 3)), 2, 29), 1, now)
        return periods.latest(lambda year: periods.days(date(year, named, number), 1, now), now)
    except ValueError:  # "31 April" is no day
        return None


def _yearly(make: Callable[[int], Period], match: re.Match[str], now: datetime) -> Period:
    """A period that comes every year, with the year or the "last" named in the match."""
    fields = match.groupdict()
    if fields.get("year"):
        return make(_year_number(fields["year"]))
    if fields.get("lastyear") or fields.get("lastyear2"):
        return make(now.year - 1)
    if fields.get("thisyear"):
        return make(now.year)
    if fields.get("which") == "next":
        return make(now.year + (make(now.year).start <= now))  # type: ignore[operator]
    return periods.latest(make, now, before=fields.get("which") in ("last", "previous"))


def _month(match: re.Match[str], now: datetime) -> Period:
    number = _month_number(match["month"])
    return _yearly(lambda year: periods.month(year, number, now), match, now)


def _season(match: re.Match[str], now: datetime) -> Period:
    first = SEASONS[match["season"]]
    # Winter 2025 is the one that ends in 2025; "last year's winter" likewise.
    shift = -1 if first == 12 and (match["year"] or match["lastyear"]) else 0
    return _yearly(lambda year: periods.month(year + shift, first, now, 3), match, now)


def _holiday(match: re.Match[str], now: datetime) -> Period:
    name = re.sub(r"\s+", " ", match["holiday"])
    name = re.sub(r"^(xmas|x-mas|christmas|christmastime|christmas time)$", "christmas", name)
    name = name.replace("xmas", "christmas").replace("hallowe'en", "halloween").replace("new years", "new year's")
    name = re.sub(r"^valentine.*", "valentine's", name)
    name = re.sub(r"^(?:the )?(?:christmas |winter )?(?:holidays|holiday season)$", "the holidays", name)
    name = re.sub(r"^(christmas|thanksgiving|easter|new year's|halloween) (weekend|break|week|season)$", r"\1", name)
    if name == "new year's":
        name = "new year"
    if name == "easter day":
        name = "easter sunday"
    return _yearly(lambda year: periods.holiday(name, year, now), match, now)


def _week_of_month(match: re.Match[str], now: datetime) -> Period:
    whole, nth = _month(match, now), _NTH[match["nth"]]
    assert whole.start is not None and whole.end is not None
    if nth == 0:
        return periods.days(whole.end.date() - timedelta(days=7), 7, now)
    return periods.days(whole.start.date() + timedelta(days=7 * (nth - 1)), 7, now)


def _quarter(match: re.Match[str], now: datetime) -> Period:
    number = int(match["q"]) if match["q"].isdigit() else _NTH[match["q"]]
    return _yearly(lambda year: periods.month(year, 3 * number - 2, now, 3), match, now)


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
        saturday = today - timedelta(days=(today.weekday() - 5) % 7)  # the latest Saturday, today included
        ongoing = today.weekday() >= 5
        return periods.days(saturday + timedelta(days=7 * (steps + (0 if ongoing else 1 if steps else 0))), 2, now)
    return periods.year(today.year + steps, now)


def _relative(match: re.Match[str], now: datetime) -> Period:
    steps = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "the": 0}[match["which"]]
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
    unit, count = match["unit"], _count(match["count"])
    if unit == "hour":
        moment = _back(count, unit, now)
        return Period(moment - timedelta(hours=1), moment + timedelta(hours=1))
    if unit == "fortnight":
        unit, count = "week", 2 * count
    if re.search("few|several", match["count"]):
        return Period(_calendar_unit(unit, -count - 2, now).start, _calendar_unit(unit, -2, now).end)
    if "couple" in match["count"]:
        return Period(_calendar_unit(unit, -count - (unit == "day"), now).start, _calendar_unit(unit, -count, now).end)
    return _calendar_unit(unit, -count, now)


def _weekday(match: re.Match[str], now: datetime) -> Period:
    """The latest such day before today; "two Fridays ago" and "before last" count further back."""
    fields = match.groupdict()
    today = now.date()
    number = _weekday_number(fields["weekday"])
    if fields.get("week"):
        start = periods.week(today, now).start
        assert start is not None
        steps = {"last": -1, "this": 0}[fields["week"]]
        return periods.days(start.date() + timedelta(days=7 * steps + number), 1, now)
    back = (today.weekday() - number) % 7 or 7
    if fields.get("count"):
        back += 7 * (_count(fields["count"]) - 1)
    if fields.get("beforelast"):
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
        return Period(periods.midnight(today - timedelta(days=7), now), periods.midnight(today, now))
    return periods.days(today, 1, now)


def _day_of_month(match: re.Match[str], now: datetime) -> Period | None:
    """ "the 11th": of this month, or of the one before when it is still to come."""
    number = int(match["day"])
    for steps in (0, -1, -2):
        first = periods.add_months(now.date(), steps)
        try:
            day = first.replace(day=number)
        except ValueError:
            continue
        if day <= now.date():
            return periods.days(day, 1, now)
    return None


def _slashed(match: re.Match[str], now: datetime) -> Period | None:
    """ "14/04/2025": only when it is clear which number is the month."""
    one, two = int(match["one"]), int(match["two"])
    if one <= 12 and two <= 12 and one != two:
        return None
    day, month = (one, two) if one > 12 or one == two else (two, one)
    try:
        if match["year"]:
            return periods.days(date(int(match["year"]), month, day), 1, now)
        return periods.latest(lambda year: periods.days(date(year, month, day), 1, now), now)
    except ValueError:  # "31/02/2025" is no day
        return None


def _old(match: re.Match[str], now: datetime) -> Period:
    """ "older than a month", "less than two weeks old"."""
    moment = _back(_count(match["count"]), match["unit"], now)
    young = re.match(r"newer|younger|less|at most|under", match["how"])
    return Period(moment, None) if young else Period(None, moment)


_WHICH = r"(?:(?P<which>last|this|next|previous|past)\s+)?"
_IN_YEAR = rf"(?:{_OF}(?P<year>{_YEAR})|{_OF}(?P<lastyear>last\s+year)|{_OF}(?P<thisyear>this\s+year))?"
_AFTER_LAST_YEAR = r"(?:(?P<lastyear2>last\s+year)(?:'s)?\s+)?"
_ORD = r"(?:st|nd|rd|th)?"

_AFTER_WORD = r"(?:(?<=from )|(?<=on )|(?<=since )|(?<=until )|(?<=before )|(?<=after )|(?<=around ))"

# Every simple time, most specific first: (pattern, what it means, whether its surroundings must show that it is a time).
SIMPLE_TIMES: tuple[tuple[re.Pattern[str], Handler, bool], ...] = tuple(
    (
        re.compile(rf"(?<![\w/.])(?:(?<!-)|(?<=mid-)|(?<=late-)|(?<=early-)){pattern}(?:'s?(?=\s))?(?![\w'])"),
        handler,
        doubtful,
    )
    for pattern, handler, doubtful in (
        (r"(?P<year>20\d\d)[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)(?:t[\d:.+z-]*)?", _day, False),
        (r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>20\d\d)", _day, False),
        (r"(?P<one>\d\d?)/(?P<two>\d\d?)/(?P<year>20\d\d)", _slashed, False),
        (rf"{_AFTER_WORD}(?P<one>\d\d?)/(?P<two>\d\d?)(?P<year>(?!))?", _slashed, False),
        (
            r"(?P<year>20\d\d)-(?P<m>0[1-9]|1[0-2])",
            lambda m, now: periods.month(int(m["year"]), int(m["m"]), now),
            False,
        ),
        (rf"(?P<day>\d\d?){_ORD}(?:\s+of)?\s+(?P<month>{MONTH_NAMES})\.?(?:,?\s+(?P<year>{_YEAR}))?", _day, False),
        (
            rf"(?P<month>{MONTH_NAMES})\.?\s+(?:the\s+)?(?P<day>\d\d?)(?!\d|\s*(?:dogs|cats|am|pm)){_ORD}(?:,?\s+(?P<year>{_YEAR}))?",
            _day,
            False,
        ),
        (
            rf"(?P<nth>{'|'.join(_NTH)})\s+week\s+(?:of|in)\s+{_WHICH}(?P<month>{MONTH_NAMES}){_IN_YEAR}",
            _week_of_month,
            False,
        ),
        (rf"q(?P<q>[1-4]){_IN_YEAR}", _quarter, False),
        (rf"(?P<q>first|second|third|fourth)\s+quarter{_IN_YEAR}", _quarter, False),
        (
            rf"{_AFTER_LAST_YEAR}{_WHICH}(?P<holiday>christmas eve|xmas eve|christmas day|christmas(?:\s?time| weekend| break| week)?|"
            r"xmas|boxing day|new year'?s eve|new year'?s day|new year'?s|new year|(?:the )?(?:christmas |winter )?"
            r"(?:holidays|holiday season)|hallowe'?en(?: weekend| week)?|valentine'?s?'?(?: day)?|easter sunday|easter monday|"
            rf"easter day|easter(?: weekend| week| break)?|good friday|thanksgiving(?: weekend| break)?){_IN_YEAR}",
            _holiday,
            True,
        ),
        (rf"{_AFTER_LAST_YEAR}{_WHICH}(?P<season>{'|'.join(SEASONS)}){_IN_YEAR}", _season, True),
        (rf"{_AFTER_LAST_YEAR}{_WHICH}(?P<month>{MONTH_NAMES})\.?{_IN_YEAR}", _month, True),
        (rf"(?P<how>older|newer|younger)\s+than\s+(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})s?", _old, False),
        (
            rf"(?P<how>less|more|at least|at most|over|under)(?:\s+than)?\s+(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})s?\s+(?:old|ago)",
            _old,
            False,
        ),
        (rf"(?P<count>{_COUNT})\s+(?P<weekday>{_DAY})s\s+ago", _weekday, False),
        (rf"(?P<weekday>{_DAY})\s+(?P<beforelast>before\s+last)", _weekday, False),
        (rf"(?P<weekday>{_DAY})\.?\s+(?:of\s+)?(?P<week>last|this)\s+week", _weekday, False),
        (rf"(?P<week>last|this)\s+week(?:'s)?\s+(?P<weekday>{_DAY})", _weekday, False),
        (
            r"(?P<unit>week|month|year|weekend)\s+before\s+last",
            lambda m, now: _calendar_unit(m["unit"], -2, now),
            False,
        ),
        (
            rf"(?:in\s+|within\s+|over\s+|during\s+)?(?:the\s+)?(?:last|past|previous)\s+(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})s?",
            lambda m, now: _trailing(_count(m["count"]), m["unit"], now),
            False,
        ),
        (r"(?:the\s+)?(?:last|past)\s+fortnight", lambda m, now: _trailing(1, "fortnight", now), False),
        (
            rf"(?:in|within)\s+the\s+last\s+(?P<unit>{_UNIT})",
            lambda m, now: _trailing(1, m["unit"], now),
            False,
        ),
        (rf"(?P<count>{_COUNT})\s+(?P<unit>{_UNIT})s?\s+(?:ago|back)", _ago, False),
        (rf"(?P<count>{_COUNT})[\s-](?P<unit>hour|day|week|month)s?[\s-]old", _ago, False),
        (
            r"(?P<which>last|previous|past|this|current|next)\s+(?P<unit>weekend|week|month|year|quarter)",
            _relative,
            False,
        ),
        (r"(?P<which>the)\s+(?P<unit>weekend)", lambda m, now: _calendar_unit("weekend", -1, now), False),
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
        (
            rf"{_AFTER_WORD}the\s+(?P<day>\d\d?)(?:st|nd|rd|th)"
            r"(?=\s*$|[,.!?;)]|\s+(?:with|in|on|at|as|please|wearing|next|and|or)\b)",
            _day_of_month,
            False,
        ),
        (r"(?:the\s+year\s+)?(?P<year>20[0-4]\d)", lambda m, now: periods.year(int(m["year"]), now), False),
    )
)
