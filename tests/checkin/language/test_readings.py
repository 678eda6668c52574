"""Test the further readings of a request."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin.language.intent import Intent, TimeTerm
from personalq.checkin.language.readings import other_readings
from personalq.checkin.language.times.dates import find_times

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)


def spoken(words: str) -> Intent:
    (time,) = find_times(words, NOW, lambda word: "none")
    return Intent(words, times=(TimeTerm(words, time.periods),))


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("november 23", datetime(2023, 11, 1, tzinfo=UTC), datetime(2023, 12, 1, tzinfo=UTC)),
        ("last summer", datetime(2025, 6, 1, tzinfo=UTC), datetime(2025, 9, 1, tzinfo=UTC)),
        ("last week", datetime(2026, 9, 13, 12, tzinfo=UTC), NOW),
        ("last august", datetime(2025, 8, 1, tzinfo=UTC), datetime(2025, 9, 1, tzinfo=UTC)),
    ],
)
def test_a_time_that_may_be_read_in_two_ways(words: str, first: datetime, last: datetime) -> None:
    (other,) = other_readings(spoken(words), NOW)
    assert [(one.start, one.end) for one in other.times[0].periods] == [(first, last)]


@pytest.mark.parametrize("words", ["november 2023", "november 30", "yesterday", "last monday"])
def test_a_time_that_is_clear(words: str) -> None:
    assert other_readings(spoken(words), NOW) == []
