"""The line `for: <request>` that ties a saved text to one request."""

from __future__ import annotations

import re

from ..lexicon.text import one_line

_LINE = re.compile(r"for\s*:(?P<request>.*)", re.IGNORECASE)


def request_line(request: str) -> str:
    """The line that ties a text to a request."""
    return f"for: {one_line(request)}"


def request_of(line: str) -> str | None:
    """The request that a line names; None for a line that does not begin with `for:`."""
    found = _LINE.fullmatch(one_line(line))
    return found["request"].strip() if found else None
