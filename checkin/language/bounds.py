"""Bounds in a request: that the model was made before, after or between other models.

"before the blue one", "newer than grumble_v3", "between the cartoon one and the final". Plain
builds and versions after "before" and "after" are left to `gates` and `versions`, times to `times`.
The same words in a scene ("standing before the blue house") bound nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..catalog.vocabulary import Vocabulary
from ..lexicon import FUNCTION
from ..lexicon.english import any_of, phrases
from ..lexicon.spelling import plain
from .model_phrases import HEADS, STOPS, THINGS, Phrase, PhraseReader, is_verb

Side = Literal["before", "after", "between"]
_SIDES: dict[str, Side] = {
    "before": "before",
    "prior to": "before",
    "older than": "before",
    "earlier than": "before",
    "after": "after",
    "newer than": "after",
    "later than": "after",
    "younger than": "after",
    "more recent than": "after",
    "between": "between",
}
_MADE = any_of(phrases("models", "i did"), phrases("models", "done to a bound"))
_CUE = re.compile(
    rf"\b(?P<near>(?:right|just|shortly|immediately|directly|straight)\s+)?"
    rf"(?:(?:somewhere|sometime)\s+)?(?P<cue>{'|'.join(_SIDES)})\s+"
    rf"(?P<made>(?:i|we)(?:'d|\s+had)?\s+{_MADE}\s+)?"
)
_WAS_MADE = re.compile(rf"\s+(?:was|were)\s+{_MADE}\b")
_OPPOSITE: dict[Side, Side] = {"before": "after", "after": "before"}
_NOT = re.compile(r"\bnot\s+$")
_NOT_THE_ONE = re.compile(r"\bnot\s+(?:the|my|that)\s+(?:\w+\s+)?$")
_AND = re.compile(r"\s*,?\s*(?:and|but)?\s*")
_THE_ONE = re.compile(rf"\b{THINGS}\s*$")
_OF_MODEL = re.compile(
    rf"\b(?:{THINGS}|from|(?:i|we)(?:'ve|\s+have)?\s+{_MADE}(?:\s+(?:it|them|her|him))?|{_MADE}|"
    r"newest|latest|oldest|earliest|last|first|recent|newer|older)\s*$"
)
"""What stands before a bound that is surely of the model."""
_ONLY_THE_ONE = re.compile(rf"\s*(?:(?:the|my|that)\s+)?{THINGS}\s+")
_NUMBER = re.compile(r"(?:v|ver|version)?\.?\s*[\d.]+")
_LAST = frozenset("latest newest last current".split())
_FIRST = frozenset("first oldest earliest".split())
_MOST = 4
"""The most bounds of one request; of further ones the words are evidence."""
_NEAR = 120
"""Characters before a bound that may say what it is of."""


@dataclass(frozen=True)
class FoundBound:
    """A bound at text[start:end]; `phrases` say which models bound: one, or two for "between"."""

    start: int
    end: int
    side: Side
    phrases: tuple[str, ...]
    nearest: bool
    """Whether the model right beside the bound is meant: "the one before ..."."""


def find_bounds(
    request: str, vocabulary: Vocabulary, is_time: Callable[[str], bool]
) -> list[FoundBound]:
    """The bounds of a request, in order; `is_time` says whether a phrase names a time."""
    found = _Finder(plain(request), vocabulary, is_time).find()
    return list(itertools.islice(found, _MOST))


class _Finder:
    """Finds the bounds of one plain text."""

    def __init__(self, text: str, vocabulary: Vocabulary, is_time: Callable[[str], bool]) -> None:
        self.text, self.is_time = text, is_time
        self.reader = PhraseReader(text, vocabulary)

    def find(self) -> Iterator[FoundBound]:
        """Each bound, in order."""
        end = 0
        for match in _CUE.finditer(self.text):
            if match.start() < end:
                continue
            cue, left = match["cue"], self.text[max(0, match.start() - _NEAR) : match.start()]
            between = _SIDES[cue] == "between"
            found = self._between(match.end()) if between else self._one(match.end())
            if not found or not self._is_model(match, found) or _NOT_THE_ONE.search(left):
                continue
            if _ONLY_THE_ONE.fullmatch(left) and found[0].of_build:
                continue
            made = _WAS_MADE.match(self.text, found[-1].end)
            further = end > 0 and _AND.fullmatch(self.text, end, match.start()) is not None
            if not (made or match["made"] or further or _is_of_model(cue, left, found)):
                continue
            end = made.end() if made else found[-1].end
            yield self._found(match, left, found, end)

    def _found(self, match: re.Match[str], left: str, found: list[Phrase], end: int) -> FoundBound:
        start, side = match.start(), _SIDES[match["cue"]]
        phrases = tuple(one.words for one in found)
        if side != "between" and (denied := _NOT.search(left)):
            return FoundBound(start - len(denied[0]), end, _OPPOSITE[side], phrases, False)
        beside = match["cue"] in ("before", "after", "prior to") and _THE_ONE.search(left)
        return FoundBound(start, end, side, phrases, bool(match["near"] or beside))

    def _is_model(self, match: re.Match[str], found: list[Phrase]) -> bool:
        """Whether the phrases may stand for models, and are not read elsewhere."""
        cue, kinds = match["cue"], {one.what for one in found}
        if "other" in kinds or any(
            one.what != "model" and self.is_time(one.words) for one in found
        ):
            return False
        if cue == "between":
            return not all(_NUMBER.fullmatch(one.words) for one in found)
        if kinds == {"build"} and not match["made"]:
            return False
        return cue not in ("before", "after") or not _is_order(_SIDES[cue], found[0].words)

    def _one(self, start: int) -> list[Phrase]:
        phrase = self.reader.at(start)
        return [phrase] if phrase else []

    def _between(self, start: int) -> list[Phrase]:
        """The two phrases of "between A and B"."""
        first = self.reader.at(start)
        link = first and re.compile(r"\s+(?:and|&)\s+").match(self.text, first.end)
        second = link and self.reader.at(link.end(), after_and=True)
        if not first or not second:
            return []
        if (
            first.what in ("known", "other") and second.what == "model"
        ):  # "the red and the blue one"
            first = Phrase(first.start, first.end, f"{first.words} one", "model")
        return [first, second]


def _is_order(side: Side, words: str) -> bool:
    """Whether "before" or "after" such a phrase is an order: "the one before the last"."""
    said = {one for one in words.split() if one not in HEADS and one not in FUNCTION}
    return len(said) == 1 and said <= (_LAST if side == "before" else _FIRST)


def _is_of_model(cue: str, left: str, found: list[Phrase]) -> bool:
    """Whether a bound is of the model, and not of the scene."""
    if cue.endswith("than") or _OF_MODEL.search(left):
        return True
    return any(one.what != "known" for one in found) and not _in_scene(left)


def _in_scene(left: str) -> bool:
    """Whether the words before, in the same clause, lead into the scene."""
    words = re.split(r"[,.;:!?\n]", left)[-1].split()
    return any(word in STOPS or is_verb(word) for word in words) or len(words) > 4
