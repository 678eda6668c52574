"""The answers to questions, as text that a person can read and edit: one line per answer.

    for: my bear on forest grass
    cartoon
    for: a dog in the snow
    the newest

A line `for: <request>` says which request the lines below it are for. Lines above the first such
line are for any request.
"""

from __future__ import annotations

from collections.abc import Collection
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

    def for_request(self, request: str, alike: Collection[str] = ()) -> tuple[str, ...]:
        """The answers that count for `request`, in order; without one of its own, those for the
        requests `alike`.
        """
        counts: set[str | None] = {None, one_line(request)}
        if not any(about == one_line(request) for about, _ in self.lines):
            counts.update(alike)
        return tuple(words for about, words in self.lines if about in counts)
