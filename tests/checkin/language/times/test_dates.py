"""Times in requests, on Thursday, 15 May 2025, 12:00 at +02:00."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from personalq.checkin.language.times.dates import find_times
from personalq.checkin.language.times.periods import easter, nth_weekday
from personalq.checkin.lexicon import FUNCTION, MODEL_WORDS, PICTURE_WORDS, STYLES, SUBJECTS
from personalq.checkin.lexicon.spelling import stems
from personalq.tests.checkin.world import NOW


def noun(words):
    found = stems(words)
    for phrase in (found[:2], found[:1]):
        if phrase in SUBJECTS:
            return "subject"
        if phrase in STYLES:
            return "style"
    if found[0] in MODEL_WORDS | PICTURE_WORDS:
        return "model"
    return "none" if found[0] in FUNCTION else "other"


def periods_in(text):
    """(first day, first day after) of each period found; None is open."""
    found = [period for time in find_times(text, NOW, noun) for period in time.periods]
    return [
        tuple(edge and edge.date().isoformat() for edge in (period.start, period.end))
        for period in found
    ]


RANGES = {
    "from 2025/04": ("2025-04-01", "2025-05-01"),
    "from 04/2025": ("2025-04-01", "2025-05-01"),
    "from 20250411": ("2025-04-11", "2025-04-12"),
    "from 25-04-2025": ("2025-04-25", "2025-04-26"),
    "from 01.04.": ("2025-04-01", "2025-04-02"),
    "from a year and a half ago": ("2023-11-01", "2023-12-01"),
    "from 3d ago": ("2025-05-12", "2025-05-13"),
    "from 2 wks ago": ("2025-04-28", "2025-05-05"),
    "from earlier this month": ("2025-05-01", "2025-06-01"),
    "April anime build": ("2025-04-01", "2025-05-01"),
    "June bridge": ("2024-06-01", "2024-07-01"),
    "yesterday's model": ("2025-05-14", "2025-05-15"),
    "today's dog": ("2025-05-15", "2025-05-16"),
    "day before yesterday": ("2025-05-13", "2025-05-14"),
    "spring sketch": ("2025-03-01", "2025-06-01"),
    "the spring one": ("2025-03-01", "2025-06-01"),
    "winter horse build": ("2024-12-01", "2025-03-01"),
    "winter tree": ("2024-12-01", "2025-03-01"),
    "last spring": ("2024-03-01", "2024-06-01"),
    "spring '24": ("2024-03-01", "2024-06-01"),
    "fall of 2024": ("2024-09-01", "2024-12-01"),
    "the dog from last week": ("2025-05-05", "2025-05-12"),
    "the week before last": ("2025-04-28", "2025-05-05"),
    "last weekend": ("2025-05-10", "2025-05-12"),
    "this month": ("2025-05-01", "2025-06-01"),
    "last month": ("2025-04-01", "2025-05-01"),
    "two weeks ago": ("2025-04-28", "2025-05-05"),
    "a couple of weeks ago": ("2025-04-28", "2025-05-05"),
    "3 days ago": ("2025-05-12", "2025-05-13"),
    "a month ago": ("2025-04-01", "2025-05-01"),
    "3 weeks old": ("2025-04-21", "2025-04-28"),
    "before Christmas": (None, "2024-12-24"),
    "from around Christmas": ("2024-12-17", "2025-01-03"),
    "since March": ("2025-03-01", None),
    "older than a month": (None, "2025-04-15"),
    "between March and May": ("2025-03-01", "2025-06-01"),
    "from March to May": ("2025-03-01", "2025-06-01"),
    "mid March": ("2025-03-11", "2025-03-22"),
    "mid-April dog": ("2025-04-11", "2025-04-21"),
    "end of January": ("2025-01-22", "2025-02-01"),
    "early last month": ("2025-04-01", "2025-04-11"),
    "second half of March": ("2025-03-17", "2025-04-01"),
    "first week of April": ("2025-04-01", "2025-04-08"),
    "two Fridays ago": ("2025-05-02", "2025-05-03"),
    "on Tuesday": ("2025-05-13", "2025-05-14"),
    "Thursday's dog": ("2025-05-08", "2025-05-09"),
    "Monday last week": ("2025-05-05", "2025-05-06"),
    "the Nov. 3 one": ("2024-11-03", "2024-11-04"),
    "3 November": ("2024-11-03", "2024-11-04"),
    "11 April 2024": ("2024-04-11", "2024-04-12"),
    "the 12th of March": ("2025-03-12", "2025-03-13"),
    "from the 11th": ("2025-05-11", "2025-05-12"),
    "from the 20th": ("2025-04-20", "2025-04-21"),
    "cat from 2024-10-31": ("2024-10-31", "2024-11-01"),
    "dog from 4/22": ("2025-04-22", "2025-04-23"),
    "14/04/2025": ("2025-04-14", "2025-04-15"),
    "the 2024 dog": ("2024-01-01", "2025-01-01"),
    "Q1 2025": ("2025-01-01", "2025-04-01"),
    "over the holidays": ("2024-12-20", "2025-01-04"),
    "Easter weekend": ("2025-04-18", "2025-04-22"),
    "New Year's Eve": ("2024-12-31", "2025-01-01"),
    "Halloween build": ("2024-10-31", "2024-11-01"),
    "bear from last year June": ("2024-06-01", "2024-07-01"),
    "last fortnight": ("2025-05-01", "2025-05-15"),
    "H1 2025": ("2025-01-01", "2025-07-01"),
    "dog from '24": ("2024-01-01", "2025-01-01"),
    "the winter before last": ("2023-12-01", "2024-03-01"),
    "two Aprils ago": ("2024-04-01", "2024-05-01"),
    "dog from Friday the 9th": ("2025-05-09", "2025-05-10"),
    "Saturday 12 April": ("2025-04-12", "2025-04-13"),
    "the twelfth of April": ("2025-04-12", "2025-04-13"),
    "first weekend of May": ("2025-05-03", "2025-05-05"),
    "the last Friday in March": ("2025-03-28", "2025-03-29"),
    "last day of April": ("2025-04-30", "2025-05-01"),
    "the 12th of last month": ("2025-04-12", "2025-04-13"),
    "from 3 to 10 April": ("2025-04-03", "2025-04-11"),
    "April 3rd-10th": ("2025-04-03", "2025-04-11"),
    "half a year ago": ("2024-11-01", "2024-12-01"),
    "two nights ago": ("2025-05-13", "2025-05-14"),
    "a week ago Tuesday": ("2025-05-06", "2025-05-07"),
    "the week before Christmas": ("2024-12-17", "2024-12-24"),
    "the weekend after Easter": ("2025-04-26", "2025-04-28"),
    "just before Halloween": ("2024-10-17", "2024-10-31"),
    "not older than two weeks": ("2025-05-01", None),
    "newer than March": ("2025-04-01", None),
    "pre-2025": (None, "2025-01-01"),
    "at the start of the year": ("2025-01-01", "2025-05-03"),
    "at the end of the year": ("2024-09-01", "2025-01-01"),
    "on Black Friday": ("2024-11-29", "2024-11-30"),
}


@pytest.mark.parametrize(("text", "expected"), RANGES.items(), ids=list(RANGES))
def test_range(text, expected):
    assert periods_in(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "march of the penguins",
        "a dog that may bark",
        "sat on a mat",
        "two dogs in the sun",
        "a bear among fall leaves",
        "a field of spring flowers",
        "a bear in a spring meadow",
        "next to a Christmas tree",
        "a dog on a december night",
        "a two year old girl",
        "half of the bear",
        "the 2nd version",
        "at 2000 steps",
        "from the 2nd version",
        "30/02/2025",
    ],
)
def test_no_time(text):
    assert periods_in(text) == []


def test_either_of_two_periods():
    assert periods_in("the April or May tree") == [
        ("2025-04-01", "2025-05-01"),
        ("2025-05-01", "2025-06-01"),
    ]
    assert periods_in("dog from 04/05/2025") == [
        ("2025-05-04", "2025-05-05"),
        ("2025-04-05", "2025-04-06"),
    ]
    [time] = find_times("March, April", NOW, noun)
    assert len(time.periods) == 2
    for text in ("dog from March, spring leaves", "dog from March, in April"):
        assert periods_in(text)[0] == ("2025-03-01", "2025-04-01")
        assert len(find_times(text, NOW, noun)[0].periods) == 1


def test_periods_are_half_open_and_in_the_zone_of_now():
    [time] = find_times("yesterday", NOW)
    [period] = time.periods
    assert datetime.fromisoformat("2025-05-13T22:00+00:00") in period
    assert datetime.fromisoformat("2025-05-14T22:00+00:00") not in period


def test_private_characters_are_no_times():
    assert find_times("\ue000\ue105", NOW) == []


def test_the_words_are_the_users():
    text = "my bear from the second half of March please"
    [time] = find_times(text, NOW)
    assert text[time.start : time.end] == "from the second half of March"
    assert time.periods[0].words == "second half of march"


def test_now_needs_a_zone():
    with pytest.raises(ValueError, match="time zone"):
        find_times("yesterday", datetime(2025, 5, 15))


@pytest.mark.parametrize(
    ("today", "text", "expected"),
    [
        # a part that is still to come is of the stretch before
        ("2025-05-05", "the end of the week", ("2025-05-03", "2025-05-05")),
        ("2025-05-05", "the end of this week", ("2025-05-03", "2025-05-05")),
        ("2025-05-05", "the end of the month", ("2025-04-21", "2025-05-01")),
        ("2025-05-05", "the end of the quarter", ("2025-03-02", "2025-04-01")),
        ("2025-05-05", "the end of May", ("2024-05-22", "2024-06-01")),
        ("2036-02-25", "the second half of the week", ("2036-02-22", "2036-02-25")),
        # a span ends after its start
        ("2025-04-05", "March to May", ("2025-03-01", "2025-06-01")),
        ("2025-04-05", "from 3 to 10 April", ("2025-04-03", "2025-04-11")),
        ("2025-05-15", "from Monday to Friday", ("2025-05-12", "2025-05-17")),
        # the last of four, or the one before this
        ("2025-08-01", "last quarter", ("2025-04-01", "2025-07-01")),
        ("2025-08-01", "the last quarter of 2024", ("2024-10-01", "2025-01-01")),
        ("2025-08-01", "last quarter 2024", ("2024-10-01", "2025-01-01")),
        # days that most years lack
        ("2028-02-29", "29 February", ("2028-02-29", "2028-03-01")),
        ("2028-02-28", "29 February", ("2024-02-29", "2024-03-01")),
    ],
)
def test_times_around_now(today, text, expected):
    now = datetime.fromisoformat(f"{today}T12:00+02:00")
    [time] = find_times(text, now, noun)
    [period] = time.periods
    assert (period.start.date().isoformat(), period.end.date().isoformat()) == expected


def test_moving_holidays():
    assert [easter(year) for year in (2019, 2024, 2025, 2038)] == [
        date(2019, 4, 21),
        date(2024, 3, 31),
        date(2025, 4, 20),
        date(2038, 4, 25),
    ]
    assert nth_weekday(2024, 11, 3, 4) == date(2024, 11, 28)
