"""The answers to questions, as text that a person can read and edit: one line per answer.

    for: my bear on forest grass
    cartoon
    for: a dog in the snow
    the newest

A line `for: <request>` says which request the lines below it are for. Lines above the first such
line are for any request.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..lexicon.text import one_line
from .request_line import request_of


@dataclass(frozen=True)
class GivenAnswers:
    """Answers, each with the request that it is for; None for any."""

    lines: tuple[tuple[str | None, str], ...] = ()

    @classmethod
    def from_text(cls, text: str) -> GivenAnswers:
        """Read the answers from their text."""
        request: str | None = None
        lines: list[tuple[str | None, str]] = []
        for line in filter(None, map(str.strip, text.splitlines())):
            named = request_of(line)
            if named is None:
                lines.append((request, line))
            else:
                request = named
        return cls(tuple(lines))

    def for_request(self, request: str, alike: str | None = None) -> tuple[str, ...]:
        """The answers that count for `request`, in order, and for `alike`, another one that
        asks for the same.
        """
        counts = {None, one_line(request), *([alike] if alike else [])}
        return tuple(words for about, words in self.lines if about in counts)

    def answered(self) -> tuple[str, ...]:
        """The requests that have answers, the newest first."""
        return tuple(dict.fromkeys(about for about, _ in reversed(self.lines) if about))
