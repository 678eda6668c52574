"""Evidence: how the words of a request stand in the cards of the library."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...language.phrases import Mention
from ...language.segments import Segment
from ...lexicon import FUNCTION, Phrase, is_being
from ...lexicon.english import word_set
from .adjacent import cut_apart
from .shortened import Shortened
from .spelt import A_NAME, Spelling

IS = 0.68
"""From this strength on, a word says what the model is; below, what pictures of it show."""
LACKED = 0.3
"""Below this strength a card does not have a word."""
_MIN_LINEAGES = 100
"""In a smaller library a word is as rare as it would be among so many lineages."""
_SIBLING = 0.95
"""What a build is known to be of, its siblings are, too: few files say everything."""
_TOLD = 0.4
"""Below this strength only a picture of the one build shows it."""
_OWNED = 3
"""Words behind an owner's name that say what is owned."""
_PARTS = {"head": 1.0, "second": 0.6, "scene": 0.4}
SMALL = word_set("words", "small adjectives")
"""Adjectives that many things have."""
GENERIC = word_set("words", "kinds of models") | word_set("kin", "mine alone")
"""Nouns that say what kind of model is meant, not which; and "my" in other languages."""


@dataclass
class Ground:
    """One word or phrase of a request, and where it stands in the library."""

    mention: Mention
    strength: Array
    """float32 [cards]: 0 where a card does not have it, 1 where it is the card's name."""
    rarity: float
    """From 0 (all cards have it) to 1 (none has)."""
    weight: float
    """Its weight in its segment."""
    spelt: frozenset[str]
    """The words of the library that it was found as."""
    generic: bool = False
    """Whether it says what kind of model is meant, not which."""

    @cached_property
    def best(self) -> float:
        """Its strength in the card that has it most."""
        return float(self.strength.max(initial=0.0))


@dataclass
class GroundedSegment:
    """A segment with its words grounded."""

    segment: Segment
    grounds: list[Ground] = field(default_factory=list)

    @property
    def importance(self) -> float:
        """How much its part of the request says about the model."""
        return 1.0 if self.segment.look else _PARTS[self.segment.part]

    @property
    def mass(self) -> float:
        """What a card reaches that has all words as its name."""
        return max(sum(one.weight * one.rarity for one in self.grounds), 0.2)

    @classmethod
    def named(cls, name: str, strength: Array, words: frozenset[str]) -> GroundedSegment:
        """The segment of a model that the request calls by its trigger or file name."""
        mention = Mention(name, tuple(sorted(words)) or (name,), "word", -1, -1)
        ground = Ground(mention, strength, 1.0, 1.0, words)
        return cls(Segment([mention], "head"), [ground])

    def cover(self, cards: Array) -> Array:
        """Float [cards]: the share of the segment that each card covers."""
        return (
            sum(
                (one.weight * one.rarity * one.strength[cards] for one in self.grounds),
                np.zeros(len(cards)),
            )
            / self.mass
        )


_MOST_KEPT = 64
"""How many unwanted words are kept: a request is read in many ways."""
_Known = dict[tuple[object, ...], tuple[Array, set[str]]]
"""Words that were looked up already."""


class Grounder:
    """Looks words up in the columns of a library."""

    def __init__(self, columns: Columns):
        self._columns, self._spelling = columns, Spelling(columns)
        self._shortened = Shortened(columns)
        self._rarities: dict[str, float] = {}
        self.strength_of = lru_cache(_MOST_KEPT)(self._strength_of)
        self._last: tuple[tuple[object, ...], _Known] = (), {}
        self._names = columns.called.values_set
        self.small_worded = [
            (code, name)
            for code, name in enumerate(columns.called.values)
            if not FUNCTION.isdisjoint(name)
        ]
        """(code, name) of each name that has a small word: back_to_back."""

    def ground(self, segments: Sequence[Segment]) -> list[GroundedSegment]:
        """The segments with their words grounded; those without any word are left out."""
        words = {_key(word): word for one in segments for word in one.words}
        said, known = self._last
        if said != (*words,):  # a request is read in many ways, all in the same words
            known = self._looked_up([*words.values()])
            self._last = (*words,), known
        return [one for segment in segments if segment.words for one in self._apart(segment, known)]

    def _apart(self, segment: Segment, known: _Known) -> Iterator[GroundedSegment]:
        """The segment, grounded, or what it is cut into."""
        grounds = self._of_segment(segment, known)
        strengths = [one.strength for one in grounds]
        pieces = [*cut_apart(segment, strengths, self._columns, GENERIC)]
        for one in pieces:
            own = grounds if len(pieces) == 1 else self._of_segment(one, known)
            yield GroundedSegment(one, own)

    def _of_segment(self, segment: Segment, known: _Known) -> list[Ground]:
        words = segment.words
        found = []
        for place, mention in enumerate(words):
            strength, spelt = self._found(mention, known)
            if mention.owner and (owned := words[place + 1 : place + 1 + _OWNED]):
                strength = self._where_owned(strength, owned, known)
            for other in words[place - 1 : place] + words[place + 1 : place + 2]:
                pair = (mention, other) if other in words[place:] else (other, mention)
                glued = pair[0].words.replace(" ", "") + pair[1].words.replace(" ", "")
                if glued in self._columns.identity.values_set:
                    strength = np.maximum(strength, self._spelling.cards_called(glued))
                    spelt = spelt | {glued}
            if (after := words[place + 1 : place + 2]) and after[0].words.isdigit():
                others = self._spelling.numbered_otherwise(mention.phrase[-1], after[0].words)
                strength = np.where(others, np.float32(0), strength)
            last = mention is (segment.name or words[-1])
            weight = 1.0 if last else 0.7
            if mention.phrase[-1] in SMALL or (not last and not strength.any()):
                weight *= 0.4
            said = {mention.phrase, ("".join(mention.phrase),)}  # "moth boy", of mothboy_xl
            generic = mention.phrase[-1] in GENERIC and said.isdisjoint(self._names)
            if generic:
                weight *= 0.5
            rarity = self._rarity(strength)
            found.append(Ground(mention, strength, rarity, weight, frozenset(spelt), generic))
        return found

    def _looked_up(self, words: Sequence[Mention]) -> _Known:
        """All words of a request, in full and as names have them shortened."""
        known: _Known = {}
        if not words:
            return known
        full = [self._found(one, known)[0] >= A_NAME for one in words]
        phrases, english = [one.typed or one.phrase for one in words], not words[0].typed
        short = self._shortened.of(phrases, full, english)
        for one, (less, pieces) in zip(words, short, strict=True):
            if pieces:
                strength, spelt = self._found(one, known)
                known[_key(one)] = np.maximum(strength, less), spelt | pieces
        return known

    def _found(self, mention: Mention, known: _Known) -> tuple[Array, set[str]]:
        """The strength of a word, and the words of the library that were found."""
        key = _key(mention)
        if key not in known:  # a word that stands there a hundred times is looked up once
            alone, spelt = self._spelling.of_mention(mention)
            known[key] = self._of_siblings(alone), spelt
        return known[key]

    def _where_owned(self, strength: Array, owned: Sequence[Mention], known: _Known) -> Array:
        """The strength of an owner's name: "anna's cat" is no picture of anna, but of a cat."""
        if not is_being(owned[0].phrase):
            return strength
        met = np.max([self._found(one, known)[0] for one in owned], axis=0)
        return np.where(met >= IS, strength, np.float32(0))

    def _of_siblings(self, strength: Array) -> Array:
        """The strength of a word, also where only another build of the same model says it."""
        told = np.flatnonzero(strength >= _TOLD)
        if not len(told):
            return strength
        most = np.zeros(self._places.max() + 1, np.float32)
        np.maximum.at(most, self._places[told], strength[told])
        return np.maximum(strength, _SIBLING * most[self._places])

    @cached_property
    def _places(self) -> Array:
        """Int [cards]: which of the lineages each is of."""
        return np.unique(self._columns.lineage, return_inverse=True)[1]

    def _rarity(self, strength: Array) -> float:
        cards = self._columns.lineage[strength >= IS]
        having = len(np.unique(cards)) if len(cards) else int((strength > 0).sum())
        if not having:
            return 1.0
        lineages = self._lineages
        return math.log(1 + lineages / (1 + having)) / math.log(1 + lineages)

    def names_of(self, card: int) -> list[Phrase]:
        """What a card is called, and what others of whom or what it is of are."""
        return self._spelling.names_of(card)

    @cached_property
    def _lineages(self) -> int:
        return max(len(np.unique(self._columns.lineage)), _MIN_LINEAGES)

    def _strength_of(self, word: str) -> Array:
        """float32 [cards]: how much the word, in any spelling, says about each card."""
        return self._spelling.of_word(word, word)[0]

    def rarity_of(self, word: str) -> float:
        """The rarity of one word of the library."""
        if word not in self._rarities:
            self._rarities[word] = self._rarity(self._spelling.as_it_is(word))
        return self._rarities[word]


def _key(mention: Mention) -> tuple[object, ...]:
    said = (mention.words, mention.phrase, mention.typed)
    return (*said, mention.kind, mention.subject, mention.style)


_GROUNDERS: OrderedDict[str, Grounder] = OrderedDict()
_MAX_GROUNDERS = 4


def grounder_of(version: str, columns: Columns) -> Grounder:
    """The grounder of a repository's cards; the last few are cached by repository version."""
    grounder = _GROUNDERS.pop(version, None) or Grounder(columns)
    _GROUNDERS[version] = grounder
    while len(_GROUNDERS) > _MAX_GROUNDERS:
        _GROUNDERS.popitem(last=False)
    return grounder
