"""Every simple time ("last week", "3 November", "spring '24"), compiled, most specific first."""

from __future__ import annotations

import re

from .calendar_times import DAYS, DAYS_OF_THIS_MONTH, MONTHS_AND_MORE, YEARS
from .relative_times import RELATIVE
from .time_words import Handler

_BEGINS = r"(?<![\w/.])(?:(?<!-)|(?<=mid-)|(?<=late-)|(?<=early-)|(?<=pre-)|(?<=post-))"
SIMPLE_TIMES: tuple[tuple[re.Pattern[str], Handler, bool], ...] = tuple(
    (re.compile(rf"{_BEGINS}(?:{pattern})(?:'s?(?=\s))?(?![\w'])"), handler, doubtful)
    for pattern, handler, doubtful in (
        *DAYS,
        *MONTHS_AND_MORE,
        *DAYS_OF_THIS_MONTH,
        *RELATIVE,
        *YEARS,
    )
)
"""(pattern, what it means, whether its surroundings must show that it is a time)."""
