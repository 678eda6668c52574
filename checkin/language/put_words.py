"""Puts the words of a card into a request that a person has written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .trigger_prompt import any_spelling

_ESCAPED = re.compile(r"\\(?=[()])")
_LETTER = r"[^\W_]"


def with_words(
    request: str, words: str, *, triggered: bool, subjects: Sequence[str] = (), before: str = ""
) -> str:
    """The request with a card's words, which a prompt needs: in place of those that another card
    put there `before`, else in place of the card's subject, else at the end.

    A card without a trigger puts its name only into an empty request. It takes out what another
    card added at the end, and says its own subject where that had put its trigger for one.
    """
    found = _whole(before).search(request) if before and before != words else None
    if found and not triggered:
        request = _without(request, found, subjects)
    if not triggered and request.strip():
        return request
    if found and triggered:
        return _put(request, before, words)
    if _whole(words).search(request):
        return request
    for subject in sorted(subjects, key=len, reverse=True):
        if _whole(subject).search(request):
            return _put(request, subject, words)
    return " ".join(filter(None, (request.strip(), words)))


def _without(request: str, found: re.Match[str], subjects: Sequence[str]) -> str:
    start, rest = request[: found.start()], request[found.end() :]
    if rest.strip() and subjects:
        return f"{start}{subjects[0]}{rest}"
    return f"{start.rstrip()}{rest}".strip()


def _put(request: str, found: str, words: str) -> str:
    return _whole(found).sub(lambda _: words, request, count=1)


def _whole(words: str) -> re.Pattern[str]:
    """These words as whole words: in upper or lower case, with or without backslashes, with spaces
    or underscores, and underscores for hyphens: what a prompt takes for them, too.
    """
    written = any_spelling(_ESCAPED.sub("", words))
    start = "" if words.startswith("<") else f"(?<!{_LETTER})"
    return re.compile(f"{start}{written}{'' if words.endswith('>') else f'(?!{_LETTER})'}", re.I)
