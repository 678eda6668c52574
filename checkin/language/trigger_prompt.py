"""Triggers in prompts: how ComfyUI needs them written, and where a text mentions one.

In a prompt, parentheses change the weight of what they enclose, unless a backslash stands before
them (`comfy/sd1_clip.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..readers.trigger_words import plain_trigger


def escaped(trigger: str) -> str:
    r"""The trigger as a prompt needs it: `saber_\(fate\)`."""
    return re.sub(r"[()]", r"\\\g<0>", trigger)


def prompt_form(typed: str) -> str:
    """A trigger that a person typed, plain or escaped, as a prompt needs it."""
    return escaped(plain_trigger(typed))


def mentions(text: str, trigger: str) -> list[tuple[int, int]]:
    """Spans of the whole trigger in a text, in any spelling.

    It may be in any case, with or without backslashes, with spaces for underscores and underscores
    for hyphens.
    """
    return [match.span() for match in _pattern(trigger).finditer(text)]


def reads_as_weight(trigger: str) -> bool:
    """Whether ComfyUI takes the end of the trigger for a weight ("re:2").

    It does so if a parenthesis closes after the trigger.
    """
    head, colon, tail = trigger.rpartition(":")
    try:
        float(tail)
    except ValueError:
        return False
    return bool(head and colon)


@lru_cache(maxsize=1000)
def _pattern(trigger: str) -> re.Pattern[str]:
    before = "" if trigger[0] == "<" else r"(?<!\w)"  # `sks` is not in `asks`
    after = "" if trigger[-1] == ">" else r"(?!\w)"
    return re.compile(before + any_spelling(trigger) + after, re.IGNORECASE)


def any_spelling(trigger: str) -> str:
    """A pattern of the trigger with or without backslashes, with spaces or underscores, and with
    underscores for hyphens.
    """
    return "".join(map(_piece, re.findall(r"[\s_]+|.", trigger)))


def _piece(piece: str) -> str:
    if piece[0] == "_" or piece.isspace():
        return r"[\s_]+"
    if piece == "-":
        return "[-_]"
    return rf"\\*{re.escape(piece)}" if piece in "()" else re.escape(piece)
