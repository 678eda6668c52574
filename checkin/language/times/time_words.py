"""The words that times are made of, as patterns, and the numbers that they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from ...lexicon import AMOUNTS, ORDINAL_NUMBERS, ROUGH_AMOUNTS
from ...lexicon.english import after, any_of, phrases, rows
from .periods import MONTHS, WEEKDAYS, Period

Found = Period | tuple[Period, ...] | None
"""What a time means: a period, any of several ("05/01/2025"), or nothing after all."""
Handler = Callable[[re.Match[str], datetime], Found]
TimeRule = tuple[str, Handler, bool]
"""A pattern, what it means, and whether its surroundings must show that it is a time."""

SHORT_MONTHS = phrases("times", "months")
SHORT_DAYS = phrases("times", "weekdays")
MONTH_NAMES = any_of(MONTHS, SHORT_MONTHS)
DAY_NAMES = any_of(WEEKDAYS, SHORT_DAYS)
YEAR = r"20\d\d|'\d\d"
COUNT = rf"\d{{1,3}}|{any_of(AMOUNTS)}"
SPELT_DAY = any_of(ORDINAL_NUMBERS)
NTH = {
    **{word: number for word, number in ORDINAL_NUMBERS.items() if number <= 4},
    **{"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": 0, "final": 0},
}
_UNITS = {word: unit for unit, of in rows("times", "units").items() for word in of}
UNIT = any_of(_UNITS)
WHICH_WORDS = rows("times", "which")
LAST = any_of(WHICH_WORDS["before"])
LAST_OR_THIS = any_of(WHICH_WORDS["before"], WHICH_WORDS["now"])
OF = r"(?:,?\s+(?:of|in|from)?\s*(?:the\s+)?)"
AFTER_WORD = after(phrases("times", "left of days"))
ORD = r"(?:st|nd|rd|th)?"
WHICH = rf"(?:(?P<which>{any_of(*WHICH_WORDS.values())})\s+)?"


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
    return ORDINAL_NUMBERS.get(text) or int(re.sub(r"\D", "", text)[:9])


def count_of(text: str) -> int:
    """The number that a count of `COUNT` names: "3", "three", "a few"."""
    return int(text[:9]) if text.isdecimal() else AMOUNTS[" ".join(text.split())]


def is_rough(text: str) -> bool:
    """Whether a count says only roughly how many: "a few"."""
    return " ".join(text.split()) in ROUGH_AMOUNTS


def unit_of(text: str) -> str:
    """The unit that a word names: a night is a day."""
    return _UNITS[text]
