"""A request in another language, word by word in English.

It says in English what the request says, in the order of English, so that `parse` reads it as any
other; each word knows where it stands in the request. Names are left as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...catalog.vocabulary import Vocabulary
from ...lexicon.languages import Profile, dictionary
from .detect import detect
from .items import Item, items_of
from .order import in_english_order

__all__ = ["Gloss", "detect", "gloss"]


@dataclass(frozen=True)
class Gloss:
    """A request in English."""

    text: str
    spans: tuple[tuple[int, int, int, int], ...] = field(repr=False)
    """(start, end, start in the request, end in the request) of each word, in order."""
    request: str = field(default="", repr=False)
    """What it is the English of."""

    def said(self, start: int, end: int) -> tuple[int, int] | None:
        """The stretch of the request that text[start:end] stands for; None if it is no word."""
        met = [one for one in self.spans if one[0] < end and start < one[1] and one[2] < one[3]]
        return (min(one[2] for one in met), max(one[3] for one in met)) if met else None

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
    if other.kind == "sign":
        return one.end == other.start or other.english in ",.;:!?)"
    return (
        one.end == other.start
        and (one.kind, other.kind) in (("sign", "kept"), ("sign", "name"))
        and one.english not in ",;!?"
    )
