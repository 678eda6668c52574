"""A request in another language, word by word in English.

It says in English what the request says, in the order of English, so that `parse` reads it as any
other; each word knows where it stands in the request. Names are left as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter

from ...catalog.vocabulary import Vocabulary
from ...lexicon.languages import Profile, dictionary
from ..origins import Span
from .breaks import with_breaks
from .detect import detect
from .items import items_of
from .order import in_english_order
from .reader import Item

__all__ = ["Gloss", "detect", "gloss"]


_BETWEEN = frozenset("+&")
"""Signs with a space on both sides."""


@dataclass(frozen=True)
class Gloss:
    """A request in English."""

    text: str
    spans: tuple[tuple[int, int, int, int], ...] = field(repr=False)
    """(start, end, start in the request, end in the request) of each word, in order."""
    request: str = field(default="", repr=False)
    """What it is the English of."""

    def said(self, start: int, end: int) -> Span | None:
        """The stretch of the request that text[start:end] stands for; None if it is no word."""
        met = self.words([(start, end)])
        return (min(first for first, _ in met), max(last for _, last in met)) if met else None

    def words(self, spans: Iterable[Span]) -> list[Span]:
        """Where the words of some stretches of the text stand in the request, each for itself."""
        return [one[2:] for one in self._met(spans) if one[2] < one[3]]

    def without(self, spans: Iterable[Span]) -> str:
        """The text without the words of some stretches of it."""
        gone = self._met(spans)
        return " ".join(self.text[slice(*one[:2])] for one in self.spans if one not in gone)

    def _met(self, spans: Iterable[Span]) -> list[tuple[int, int, int, int]]:
        met: set[int] = set()
        for start, end in spans:
            first = bisect_right(self.spans, start, key=itemgetter(1))
            met.update(range(first, bisect_left(self.spans, end, key=itemgetter(0))))
        return [self.spans[place] for place in sorted(met)]

    def their(self, words: str) -> str:
        """English words as the request says them; where it says them nowhere, as they are."""
        found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", self.text, re.IGNORECASE)
        if found and (span := self.said(*found.span())):
            return self.request[slice(*span)]
        one_by_one = words.split()
        return words if len(one_by_one) < 2 else " ".join(map(self.their, one_by_one))


def gloss(request: str, language: Profile, vocabulary: Vocabulary) -> Gloss:
    """The request in English."""
    items = items_of(request, language, dictionary(language.code), vocabulary)
    if language.unspaced:
        items = [*with_breaks(items, request)]
    text = ""
    spans = []
    last: Item | None = None
    for item in in_english_order(items, language):
        if not item.english:
            continue
        text += "" if not text or (last and _joined(last, item)) else " "
        spans.append((len(text), len(text) + len(item.english), item.start, item.end))
        text += item.english
        last = item
    return Gloss(text, tuple(spans), request)


def _joined(one: Item, other: Item) -> bool:
    """Whether no space belongs between two items: "embedding:soft" is one word."""
    if {one.english, other.english} & _BETWEEN:
        return False
    if other.kind == "sign":
        return one.end == other.start or other.english in ",.;:!?)"
    return (
        one.end == other.start
        and (one.kind, other.kind) in (("sign", "kept"), ("sign", "name"))
        and one.english not in ",;!?"
    )
