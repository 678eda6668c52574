"""The segments of a request: its noun phrases, each with the part that it plays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from ..catalog.subject_key import only_names
from ..lexicon import (
    CONJUNCTIONS,
    FUNCTION,
    ING_NOUNS,
    MODEL_WORDS,
    ORDINALS,
    PLACES,
    PREPOSITIONS,
    TEMPORAL,
)
from ..lexicon.english import one_of, word_set
from ..lexicon.function_words import SMALL_NAMES
from ..lexicon.spelling import is_english
from ..readers.trigger_words import is_generic
from .phrases import MYSELF, Mention

Part = Literal["head", "second", "scene"]
_ONES = word_set("words", "ones")
_LOOK_WORDS = word_set("words", "look words")
_LIKE = word_set("words", "before looks")
_MADE = word_set("words", "made")
JOINS = CONJUNCTIONS | word_set("words", "versus")
_DRAWN = word_set("words", "drawn")
_TALK = word_set("words", "talk")
_PICTURES = word_set("words", "pictures for somebody")
_PRODUCTS = word_set("words", "made for")
_RESTING = word_set("words", "resting")
_BEFORE_RESTING = word_set("words", "before resting")
_TOLD_OF_THEN = word_set("words", "told of then")
_MADE_BY_ME = word_set("models", "i did")
OF_BODY = word_set("words", "of the body")
_MOVING = word_set("words", "moving")
_LINKS = JOINS | PREPOSITIONS
MAX_SEGMENTS = 80
"""Noun phrases of a request that choose models; comparing them takes more than linear time."""
_LOOK_OF = re.compile(rf"\b{one_of('choosing', 'looks')} (?:of|by|from)(?: the| my| a)?$")


@dataclass
class Segment:
    """A noun phrase: words that belong together."""

    words: list[Mention]
    part: Part
    """What it says: whom or what the request is about, a further clause, or the scene."""
    look: bool = False
    """Whether it names a style: "X style", "in the look of X"."""
    after_in: bool = False
    """Whether it stands after "in", "as" or "like", where a style may stand."""
    purpose: bool = False
    """Whether it says what the picture is for: "for the newsletter: ..."."""
    name: Mention | None = None
    """Whom it is of, where other words follow: nelson, in "nelson the siamese"."""


def segments_of(mentions: Sequence[Mention]) -> list[Segment]:
    """The first MAX_SEGMENTS of a request; words that only ask, count or link are left out."""
    found: list[Segment] = []
    purpose = _purpose(mentions)
    clauses = [*_clauses(mentions)]
    scenes = _scenes_before(clauses)
    for clause in clauses[:scenes]:
        found += _Clause(clause, "scene", purpose).read()
    for clause in clauses[scenes:]:
        heads = [one for one in found if one.part == "head" and _says_something(one)]
        if heads and (told := _told_of_it(clause)):
            heads[-1].words += told
            continue
        named = any(_is_name(word) for one in heads for word in one.words)
        headed = bool(heads) and (named or not _asks_for_a_name(clause))
        found += _Clause(clause, "second" if headed else "head", purpose).read()
        if len(found) >= MAX_SEGMENTS:
            break
    return found[:MAX_SEGMENTS]


def _scenes_before(clauses: Sequence[Sequence[Mention]]) -> int:
    """How many clauses a request begins with that say where somebody is: "golden hour, my dog",
    "snow, a dog on the sofa".

    They name no model and no kind of thing, and the clause after them does; where that is neither
    the user's own ("my") nor a name, they end in a place or in how a picture is taken.
    """
    plain = [*takewhile(lambda one: not any(map(_is_told, one)), clauses)]
    after = clauses[len(plain) :][:1]
    subjects = [word for clause in after for word in clause if word.subject and not word.is_scene]
    if any(word.possessive or _is_name(word) for word in subjects):
        return len(plain)
    return len(plain) if subjects and all(_is_scene(clause[-1]) for clause in plain) else 0


def _told_of_it(clause: Sequence[Mention]) -> Sequence[Mention]:
    """The looks by which a clause tells which one is meant: "my dog, the watercolour one"."""
    looks = clause[1:-1]
    is_told = clause[0].words == "the" and clause[-1].words in _ONES
    return looks if is_told and all(word.style for word in looks) else ()


def _is_told(word: Mention) -> bool:
    """Whether a word says which model is meant, or may."""
    return bool(word.subject) or word.style is not None or word.kind in ("model", "picture")


def _is_scene(word: Mention) -> bool:
    return word.is_scene or word.phrase in PLACES


def _is_name(word: Mention) -> bool:
    return bool(word.subject) and only_names(word.subject)


def _asks_for_a_name(clause: Sequence[Mention]) -> bool:
    """Whether it asks for somebody who has a name: "need macca, just him"."""
    before = [*takewhile(_is_empty, clause)]
    asks = any(one.words in _TALK for one in before)
    linked = any(one.words in PREPOSITIONS for one in before)
    return asks and not linked and any(map(_is_name, clause[len(before) : len(before) + 1]))


def _says_something(segment: Segment) -> bool:
    return not all(word.kind == "picture" or is_generic(word.words) for word in segment.words)


def _purpose(mentions: Sequence[Mention]) -> range:
    """The positions of the words with which a request begins that say what the picture is for: "for
    the newsletter", and "for dani" after "a birthday picture", but not what somebody is "looking
    for". They end at punctuation, or where somebody asks: "for the chapter I need". Else of those
    of its last clause: "for the June page of the calendar".
    """
    first = next(_clauses(mentions))
    said = next((place for place, one in enumerate(first) if one.words == "for"), None)
    if said is None or (said and first[said - 1].words not in _PICTURES):
        *_, last = _clauses(mentions)
        made = any(one.words == "for" for one in last[:1])
        made = made and any(one.words in _PRODUCTS for one in last)
        return range(last[0].first, last[-1].last + 1) if made else range(0)
    words = list(takewhile(lambda one: one.words not in _TALK, first[said:]))
    if said + len(words) == len(mentions):
        return range(0)
    return range(words[0].first, words[-1].last + 1)


def _clauses(mentions: Sequence[Mention]) -> Iterator[list[Mention]]:
    """The words of a request between its punctuation."""
    clause: list[Mention] = []
    for mention in mentions:
        if mention.after_punctuation and clause:
            yield clause
            clause = []
        clause.append(mention)
    yield clause


class _Clause:
    """Reads the segments of one clause, word by word."""

    def __init__(self, words: Sequence[Mention], part: Part, purpose: range) -> None:
        self.words, self.part, self.purpose = words, part, purpose
        self.found: list[Segment] = []
        self.current: Segment | None = None
        self.in_scene = self.after_in = self.drawn_by = False

    def read(self) -> list[Segment]:
        """The segments, in order."""
        for place, word in enumerate(self.words):
            before, after = self.words[max(0, place - 3) : place], self.words[place + 1 : place + 3]
            if _says_nothing(word, before, after):
                continue
            if word.words == "when" and any(one.words in _TOLD_OF_THEN for one in after):
                self._link("as", before)
                continue
            if word.words in _LOOK_WORDS and (
                word.words != "looking" or place == len(self.words) - 1
            ):
                if self.current:
                    self.current.look = True
                self.current = None
            elif word.words in _LINKS or _is_made(word, before):
                self._link(word.words, before, made=_is_made(word, before))
            elif not _is_empty(word):
                self._add(word, place)
            elif word.kind == "function" and not self._says_who(word, place):
                self.current = None
        return self.found

    def _says_who(self, word: Mention, place: int) -> bool:
        """Whether "the" begins what somebody with a name is: "nelson the siamese"."""
        if word.words != "the" or not self.current or place + 1 == len(self.words):
            return False
        name = self.current.words[-1]
        named = _is_name(name) if name.subject else not is_english(name.words)
        if not named or name.last != word.first - 1 or _is_empty(self.words[place + 1]):
            return False
        self.current.name = name
        return True

    def _link(self, word: str, before: Sequence[Mention], *, made: bool = False) -> None:
        if made or (self.found and word in PREPOSITIONS and word != "to"):
            self.in_scene = True
        self.after_in = word in _LIKE or made
        self.drawn_by = word == "by" and any(one.words in _DRAWN for one in before)
        self.current = None

    def _add(self, word: Mention, place: int) -> None:
        if self.found and (
            _opens_scene(word) or self._ends_name(word, place) or self._is_done(word)
        ):
            self.in_scene, self.current = True, None
        drawn = self._is_drawn_in(word, place)
        if drawn:
            self.current = None
        if self.current is None:
            purpose = word.first in self.purpose
            part: Part = "scene" if self.in_scene or purpose else self.part
            look = drawn or self.drawn_by or _after_look(self.words[:place])
            self.current = Segment([], part, look, self.after_in, purpose)
            self.found.append(self.current)
        self.current.words.append(word)

    def _ends_name(self, word: Mention, place: int) -> bool:
        """Whether a participle after a noun begins the scene: "nelson curled up", "flying over"."""
        after = self.words[place + 1] if place + 1 < len(self.words) else None
        return (
            self.current is not None
            and word.kind == "word"
            and (
                word.words == "together"
                or word.words.endswith("ed")
                or word.words in _MOVING | _DRAWN
            )
            and (after is None or _is_empty(after))
        )

    def _is_drawn_in(self, word: Mention, place: int) -> bool:
        """Whether a style after a noun says how it is drawn: "mum's cat painted in oils"."""
        after = self.words[place + 1] if place + 1 < len(self.words) else None
        return (
            self.current is not None
            and bool(word.style)
            and " " in word.words
            and not word.subject
            and any(one.subject for one in self.current.words)
            and (after is None or _is_empty(after))
        )

    def _is_done(self, word: Mention) -> bool:
        """Whether a word in -ing, the name of some model too, says what somebody does: "jinx
        playing guitar".
        """
        return (
            word.words.endswith("ing")
            and word.words not in ING_NOUNS
            and bool(word.subject)
            and only_names(word.subject)
            and self.current is not None
        )


def _says_nothing(word: Mention, before: Sequence[Mention], after: Sequence[Mention]) -> bool:
    """Whether a word is part of another: whose "hand" it is says who is meant, of "that i made
    myself" and "fast asleep" the other word does.
    """
    if word.words in OF_BODY:
        return any(one.owner for one in before)
    if word.words == MYSELF and before and before[-1].words != "of":
        return any(one.words in _MADE_BY_ME for one in before[-2:])
    return word.words in _BEFORE_RESTING and any(one.words in _RESTING for one in after[:1])


def _is_made(word: Mention, before: Sequence[Mention]) -> bool:
    """Whether a word links to what something is made of, not to whom a model is of: "knitted from
    wool", but not "the first that I made of her".
    """
    by_me = any(one.words in ("i", "we") for one in before)
    return word.words in ("of", "from") and not by_me and any(one.words in _MADE for one in before)


def _is_empty(mention: Mention) -> bool:
    word = mention.words
    is_name = mention.kind == "word" and word in SMALL_NAMES
    if mention.subject or mention.style or is_name:
        return False
    return (
        word in FUNCTION
        or word in _TALK
        or word in MODEL_WORDS
        or word in TEMPORAL | ORDINALS
        or mention.kind in ("function", "model")
    )


def _opens_scene(mention: Mention) -> bool:
    word = mention.words
    return word in _RESTING or (
        mention.kind == "word" and len(word) > 4 and word.endswith("ing") and mention.is_scene
    )


def _after_look(before: Sequence[Mention]) -> bool:
    """Whether a segment follows "the style of", "a look by"."""
    said = " ".join(mention.words for mention in before[-3:])
    return _LOOK_OF.search(said) is not None
