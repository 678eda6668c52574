"""Dates, in the forms that files use."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ..lexicon.sentences import say, sentence

EXPECTED = sentence("expected a date like 2025-04-11 or 2025-04-11T09:30:00+02:00")
MIN_YEAR = 2010
"""No usable model was made in an earlier year."""
AHEAD = timedelta(days=2)
"""How far after now a moment may be: clocks are set wrong, and zones are left out."""
_YEAR_FIRST = re.compile(r"^(\d{4})([-/.])(\d\d?)\2(\d\d?)(?!\d)")


def _as_iso(day: re.Match[str]) -> str:
    return f"{day[1]}-{day[3]:0>2}-{day[4]:0>2}"


def moment_at(seconds: float) -> datetime:
    """The moment that is `seconds` after the start of 1970 (UTC), in the local zone.

    Raises ValueError.
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            say(
                "{seconds} s from 1970 is no time that a calendar has: set the file's date anew",
                seconds=f"{seconds:.0f}",
            )
        ) from None


def parse_date(value: object) -> datetime:
    """The moment of an ISO 8601 text or of a number of seconds since 1970; always with a zone.

    "2025/4/1" and thousandths of seconds are read, too. A text without a zone is local time; a date
    alone is midnight at the start of that day, local time. Raises ValueError, also for a moment
    before MIN_YEAR or AHEAD of now: a file from the future would be newer than all models.
    """
    text = _YEAR_FIRST.sub(_as_iso, str(value)[:100].strip())
    try:
        if isinstance(value, datetime):
            moment = value.astimezone()
        elif text.replace(".", "", 1).isdigit() and len(text.partition(".")[0]) > 8:
            moment = moment_at(float(text) / (1000 if text.isdigit() and len(text) == 13 else 1))
        else:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            say("{date} is no date: {expected}", date=repr(text[:40]), expected=say(EXPECTED))
        ) from None
    if moment.year < MIN_YEAR:
        raise ValueError(
            say(
                "{date} is before {year}: a clock that was not set",
                date=repr(text[:40]),
                year=MIN_YEAR,
            )
        )
    if moment > datetime.now(UTC) + AHEAD:
        raise ValueError(
            say("{date} is in the future: a clock that was set wrong", date=repr(text[:40]))
        )
    return moment
