"""When a model was made, from the forms in which files say it."""

from __future__ import annotations

from datetime import UTC, datetime

EXPECTED = "expected a date like 2025-04-11 or 2025-04-11T09:30:00+02:00"
EARLIEST = 2010
"""No model that can be used was made before this year."""


def parse_date(value: object) -> datetime:
    """The moment that an ISO 8601 text, or a number of seconds since 1970, names; always with a zone.

    A text without a zone is local time; a date alone is that day's midnight, local time. Raises ValueError.
    """
    if isinstance(value, datetime):
        return value.astimezone()
    text = str(value)[:100].strip()
    try:
        if text.replace(".", "", 1).isdigit() and len(text.partition(".")[0]) > 8:
            moment = datetime.fromtimestamp(float(text), UTC).astimezone()
        else:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text[:40]!r} is no date: {EXPECTED}") from None
    if moment.year < EARLIEST:
        raise ValueError(f"{text[:40]!r} is before {EARLIEST}: a clock that was not set")
    return moment
