"""Helpers with which all protocols read a model's reply."""

from __future__ import annotations

import json
from typing import Any

from ..lexicon.sentences import say
from .prompt import NoAnswer

MAX_REPLY_BYTES = 1024 * 1024
"""Of a whole reply. More is not read: an answer has at most MAX_TOKENS."""
MAX_TOKENS = 3072
"""The most tokens that an answer may have, with the thoughts of a model that thinks first.

With the longest question they fit a context of 8,192 tokens, for which some servers refuse more.
"""


def parse_answer(text: str, cut_off: bool) -> dict[str, Any]:
    """The first JSON object in a reply, whatever stands around it: a fence, remarks, a second one.

    Raises NoAnswer for broken JSON; `cut_off` says that the reply ended at MAX_TOKENS.
    """
    _, brace, rest = text.partition("{")
    try:
        return json.JSONDecoder().raw_decode(brace + rest)[0]
    except (ValueError, RecursionError):  # also a number with thousands of digits
        raise NoAnswer(
            say("its answer is cut off") if cut_off else say("its answer is no JSON")
        ) from None


def refused(code: int, said: object, retry_after: str | None = None) -> NoAnswer:
    """The error of a server that refused with a status, in its own words where it gave a reason.

    `said` is the error of its reply: an object with a message, a text, or None. `retry_after` is
    the header of that name.
    """
    reason = said.get("message") if isinstance(said, dict) else said
    if isinstance(reason, str) and reason.strip() and not reason.lstrip().startswith("<"):
        why = reason.strip().rstrip(".")
        sentence = say("it refused with status {code} and said: {why}", code=code, why=why)
    else:  # a page of HTML says nothing to read
        sentence = say("it refused with status {code}", code=code)
    busy = code in (408, 409, 429) or code >= 500
    return NoAnswer(sentence, busy, _seconds(retry_after))


def unreached(error: BaseException) -> NoAnswer:
    """The error of a connection that failed, and what the system or the proxy says of it."""
    why = str(error) or type(error).__name__
    return NoAnswer(say("it cannot be reached ({error})", error=why), again=True)


def _seconds(retry_after: str | None) -> float:
    """The seconds that a Retry-After header names; 0 for none and for a date."""
    try:
        return max(float(retry_after or 0), 0.0)
    except ValueError:
        return 0.0
