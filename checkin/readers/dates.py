"""Dates, in the forms in which files write them."""

from __future__ import annotations

from datetime import UTC, datetime

EXPECTED = "expected a date like 2025-04-11 or 2025-04-11T09:30:00+02:00"
MIN_YEAR = 2010
"""No usable model is older."""


def moment_at(seconds: float) -> datetime:
    """The moment so many seconds after the beginning of 1970, in the local zone.

    Raises ValueError.
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        said = f"{seconds:.0f} s from 1970 is no time that a calendar has"
        raise ValueError(f"{said}: set the file's date anew") from None


def parse_date(value: object) -> datetime:
    """The moment that an ISO 8601 text, or a number of seconds since 1970, names; always with a
    zone.

    A text without a zone is local time; a date alone is that day's midnight, local time. Raises
    ValueError, also for a moment before MIN_YEAR or after the next year: the year 9999 in one file
    would be newer than all models.
    """
    text = str(value)[:100].strip()
    try:
        if isinstance(value, datetime):
            moment = value.astimezone()
        elif text.replace(".", "", 1).isdigit() and len(text.partition(".")[0]) > 8:
            moment = moment_at(float(text))
        else:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text[:40]!r} is no date: {EXPECTED}") from None
    if moment.year < MIN_YEAR:
        raise ValueError(f"{text[:40]!r} is before {MIN_YEAR}: a clock that was not set")
    if moment.year > datetime.now().year + 1:
        raise ValueError(f"{text[:40]!r} is years from now: a clock that was set wrong")
    return moment
