"""Puts the words of a card into a request that a person has written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .trigger_prompt import any_spelling

_ESCAPED = re.compile(r"\\(?=[()])")
_LETTER = r"[^\W_]"
_GLUED = re.compile("[<>\u3040-\u9fff\uac00-\ud7af]")
"""Signs that need no space beside them: brackets, and the scripts whose words or endings stand
together.
"""
_MARKED = re.compile(r"<[^<>]*>")
"""A trigger in angle brackets, of any model: no word in it speaks of a subject."""


class Put(NamedTuple):
    """A request with a card in it."""

    request: str
    subject: str = ""
    """The subject whose word in the request was the card's; empty if there was none."""


def with_words(
    request: str,
    words: str,
    *,
    triggered: bool,
    subjects: Sequence[str] = (),
    before: Sequence[str] = (),
    others: Sequence[str] = (),
) -> Put:
    """The request with a card's words, which a prompt needs: in place of those of the cards that it
    is used instead of (`before`), else in place of the card's subject, else at the end. The words
    of `others` stay whole.

    A card without a trigger puts its name only into an empty request. It takes out the words of
    the cards before it, and says its own subject where they had put their trigger for one.
    """
    there = _place(words, request)
    instead = False
    for old in before:
        found = _place(old, request, others) if old != words else None
        if not found:
            continue
        if triggered and not there and not instead:
            request, instead = _spliced(request, found, words), True
        else:
            request = _without(request, found, () if triggered else subjects)
    if there or instead:
        return Put(request)
    for subject in sorted(subjects, key=len, reverse=True):
        if found := _place(subject, request, others, _MARKED):
            return Put(_spliced(request, found, words) if triggered else request, subject)
    if not triggered and request.strip():
        return Put(request)
    return Put(" ".join(filter(None, (request.strip(), words))))


def _without(request: str, found: re.Match[str], subjects: Sequence[str]) -> str:
    start, rest = request[: found.start()], request[found.end() :]
    if rest.strip() and subjects:
        return f"{start}{subjects[0]}{rest}"
    return f"{start.rstrip()}{rest}".strip()


def _spliced(request: str, found: re.Match[str], words: str) -> str:
    start, rest = request[: found.start()], request[found.end() :]
    before, after = (" " * side.isalnum() for side in (start[-1:], rest[:1]))
    return start + before + words + after + rest


def _place(
    words: str, request: str, others: Sequence[str] = (), *outside: re.Pattern[str]
) -> re.Match[str] | None:
    """Where these words first stand in a request, but not as a part of others."""
    if not words:
        return None
    patterns = (*map(_whole, others), *outside)
    taken = [found.span() for pattern in patterns for found in pattern.finditer(request)]
    return next(
        (
            found
            for found in _whole(words).finditer(request)
            if all(found.end() <= start or end <= found.start() for start, end in taken)
        ),
        None,
    )


def _whole(words: str) -> re.Pattern[str]:
    """These words as whole words: in upper or lower case, with or without backslashes, with spaces
    or underscores, and underscores for hyphens: what a prompt takes for them, too.
    """
    written = any_spelling(_ESCAPED.sub("", words))
    start = "" if _GLUED.match(words) else f"(?<!{_LETTER})"
    end = "" if _GLUED.match(words[-1:]) else f"(?!{_LETTER})"
    return re.compile(f"{start}{written}{end}", re.I)
