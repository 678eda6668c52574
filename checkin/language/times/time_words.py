"""The words that times are made of, as patterns, and the numbers that they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from .periods import MONTHS, WEEKDAYS, Period

Found = Period | tuple[Period, ...] | None
"""What a time means: a period, any of several ("05/01/2025"), or nothing after all."""
Handler = Callable[[re.Match[str], datetime], Found]
TimeRule = tuple[str, Handler, bool]
"""A pattern, what it means, and whether its surroundings must show that it is a time."""

MONTH_NAMES = "|".join([*MONTHS, "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"])
DAY_NAMES = "|".join([*WEEKDAYS, "mon|tues|tue|wed|thurs|thur|thu|fri|sat|sun"])
YEAR = r"20\d\d|'\d\d"
_COUNTS = {
    **dict(
        zip(
            "one two three four five six seven eight nine ten eleven twelve".split(),
            range(1, 13),
            strict=True,
        )
    ),
    **{
        "a": 1,
        "an": 1,
        "couple of": 2,
        "couple": 2,
        "few": 3,
        "some": 3,
        "several": 4,
        "half a dozen": 6,
        "dozen": 12,
    },
}
COUNT = r"\d{1,3}|half a dozen|a couple of|a couple|a few|a dozen|" + "|".join(
    sorted(_COUNTS, key=len, reverse=True)
)
_SPELT = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
SPELT_DAY = "|".join(sorted(_SPELT, key=len, reverse=True))
NTH = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "last": 0,
    "final": 0,
}
UNIT = "hour|day|night|evening|week|fortnight|month|year"
OF = r"(?:,?\s+(?:of|in|from)?\s*(?:the\s+)?)"
AFTER_WORD = r"(?:(?<=from )|(?<=on )|(?<=since )|(?<=until )|(?<=before )|(?<=after )|(?<=around )|(?<=of ))"
ORD = r"(?:st|nd|rd|th)?"
WHICH = r"(?:(?P<which>last|this|next|previous|past)\s+)?"


def month_number(name: str) -> int:
    """1 to 12, of a month's name or its first three letters."""
    return [month[:3] for month in MONTHS].index(name[:3]) + 1


def weekday_number(name: str) -> int:
    """0 (Monday) to 6, of a day's name or its first three letters."""
    return [day[:3] for day in WEEKDAYS].index(name[:3])


def year_number(text: str) -> int:
    """The year that "2024" or "'24" names."""
    return 2000 + int(text[1:]) if text.startswith("'") else int(text)


def day_number(text: str) -> int:
    """The day of a month: "3", "3rd" or "third"."""
    return _SPELT.index(text) + 1 if text in _SPELT else int(re.sub(r"\D", "", text))


def count_of(text: str) -> int:
    """The number that a count of `COUNT` names: "3", "three", "a few"."""
    return int(text) if text.isdigit() else _COUNTS[re.sub(r"^a (?=\w)", "", text)]
