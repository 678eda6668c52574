"""Noun phrases that may stand for a model: "the blue one", "grumble_v3", "v2 of moss", "that"."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from ..catalog.file_names import labels_in
from ..catalog.vocabulary import Vocabulary
from ..lexicon import CONJUNCTIONS, FUNCTION, ING_NOUNS, MODEL_WORDS, ORDINALS, PREPOSITIONS
from ..lexicon.spelling import singular

THAT = "that"
"""The phrase for the model that was used last."""
THINGS = r"(?:one|lora|model|build|version|checkpoint|ckpt|file|save|epoch|training|run|style)s?"
HEADS = (MODEL_WORDS - {"thing", "stuff", "take", "try", "weight"}) | {"style"}
"""Words for a model as such."""
STOPS = (
    (PREPOSITIONS - {"of"})
    | CONJUNCTIONS
    | frozenset("i we you he she it they is was are were did had has have who asleep".split())
)
"""Words at which a noun phrase ends."""
_TAIL = frozenset("with of for in from".split())
_TOKEN = re.compile(r"<[^<>\n]+>|[\w'-]+(?:\.\w+)*")
_DETERMINER = re.compile(r"(?:(?:the|my|our|that|this)\s+)?(?:(?:very|own)\s+)?")
_POINTED = re.compile(r"(?:that|this)(?=\s*(?:$|[,.;:!?\n]))")
_STYLE_ONE = re.compile(r"style\s+(?:one|lora|model)\b")
_BARE = re.compile(r"\d+(?:\.\d+)*\b(?!\s*[a-z])")
_HEAD = re.compile(rf"\s+{THINGS}\b")
_VERSION = re.compile(r"v\d[\w.]*")
_MAX_WORDS = 6
_MAX_LABEL = 24
"""Characters in which the label of a build is looked for."""


@dataclass(frozen=True)
class Phrase:
    """A noun phrase at text[start:end]; `words` are to be read like a request."""

    start: int
    end: int
    words: str
    what: Literal["model", "name", "that", "build", "known", "other"]
    """Whether it speaks of a model, is a file's name, "that", the label of a build, a word by which
    some model is called, or something else.
    """
    of_build: bool = False
    """Whether it is a build with its model: "v2 of moss"."""


class PhraseReader:
    """Reads noun phrases of one plain text."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text, self.vocabulary = text, vocabulary

    def at(self, start: int, after_and: bool = False, inner: bool = False) -> Phrase | None:
        """The phrase at a place; a bare number is a version only `after_and`.

        An `inner` phrase has no tail: "with the hat" in "the one with the hat".
        """
        text = self.text
        if pointed := _POINTED.match(text, start):
            return Phrase(start, pointed.end(), THAT, "that")
        first = _DETERMINER.match(text, start)
        begin = first.end() if first else start
        if build := self._build(begin, after_and):
            whole = build if inner else self._tail(build, ("of",))
            if whole > build:
                return Phrase(start, whole, text[begin:whole], "model", of_build=True)
            return Phrase(start, build, text[begin:build], "build")
        return self._noun(start, begin, inner)

    def _noun(self, start: int, begin: int, inner: bool) -> Phrase | None:
        text, end, words = self.text, begin, list[str]()
        for token in _TOKEN.finditer(text, begin):
            word, gap = token[0], text[end : token.start()]
            if gap.strip() or word in STOPS or is_verb(word) or len(words) == _MAX_WORDS:
                break
            end = token.end()
            words.append(singular(word))
            if not word.isalpha() and self.vocabulary.named(word):
                return Phrase(start, end, text[start:end], "name")
            if len(words) > 1 and _VERSION.fullmatch(word):  # "the bear v2"
                return Phrase(start, end, text[start:end], "model")
            if words[-1] in HEADS and not _STYLE_ONE.match(text, token.start()):
                last = self._tail(end) if len(words) == 1 and not inner else end
                says = len(words) > 1 or last > end
                return Phrase(start, last, text[start:last], "model" if says else "other")
        if not words:
            return None
        if set(words) <= ORDINALS:
            return Phrase(start, end, f"{text[start:end]} one", "model")
        names = self.vocabulary.personal.columns.identity.values_set
        known = words[-1] in names and words[-1] not in FUNCTION
        return Phrase(start, end, text[start:end], "known" if known else "other")

    def _build(self, begin: int, after_and: bool) -> int | None:
        """The end of the label of a build at a place, "v2b" or "the final one"."""
        found = labels_in(self.text[begin : begin + _MAX_LABEL])
        if after_and and (number := _BARE.match(self.text, begin)):
            return number.end()
        if not found or found[0][0] != 0:
            return None
        end, label = begin + found[0][1], found[0][2]
        if label.isalpha() and label not in self.vocabulary.labels:
            return None
        if is_other_thing(label, self.text[end:]):
            return None
        head = _HEAD.match(self.text, end)
        return head.end() if head else end

    def _tail(self, end: int, links: Collection[str] = _TAIL) -> int:
        """The end of a phrase after its head: "the one with the hat" goes on."""
        link = _TOKEN.match(self.text, end + 1) if self.text[end : end + 1] == " " else None
        if link is None or link[0] not in links:
            return end
        further = self.at(link.end() + 1, inner=True)
        return further.end if further else end


def is_other_thing(label: str, following: str) -> bool:
    """Whether the word of a build begins the name of something else: "the final curtain"."""
    word = re.match(r"\s+([a-z]+)", following)
    return label == "final" and word is not None and word[1] not in HEADS and word[1] not in STOPS


def is_verb(word: str) -> bool:
    """Whether a word is a verb in -ing, which begins a scene."""
    return len(word) > 4 and word.endswith("ing") and word not in ING_NOUNS
