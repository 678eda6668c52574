"""Evidence: how the words of a request stand in the cards of the library."""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..catalog.columns import Array
from ..catalog.facts import Columns
from ..catalog.file_names import without_base
from ..catalog.subject_key import Match
from ..catalog.vocabulary import Vocabulary
from ..language.phrases import Mention
from ..language.segments import Segment
from ..lexicon import STYLES, Phrase
from ..lexicon.abroad import abroad
from ..lexicon.english import word_set
from ..lexicon.kin import KIN
from ..lexicon.spelling import closest, is_english
from ..lexicon.variants import variants

FIELDS = {"captions": 0.3, "words": 0.45, "tags": 0.7, "kinds": 0.75, "identity": 1.0}
"""Column of words -> how much a word there says about what the model is, the weakest first."""
A_NAME = 0.9
"""From this strength on, a word is in the name of a model."""
IS = 0.68
"""From this strength on, a word says what the model is; below, what pictures of it show."""
_MIN_LINEAGES = 100
"""In a smaller library a word is as rare as it would be among so many lineages."""
_PARTS = {"head": 1.0, "second": 0.6, "scene": 0.4}
_PART_OF_WORD = 0.7
_SYNONYM = 0.85
_MISTYPED, _MISTYPED_NAME = 0.8, 0.9
"""A word that is probably one of the library; that is probably all that a model is called."""
_KIN, _ABROAD = 0.8, 0.9
"""Another word for the same relative; the word of another language for the same thing."""
_SUBJECT, _BROADER = 0.95, 0.5
"""A subject of the request that is the card's; that the card says in a broader word, "animal"."""
SMALL = word_set("words", "small adjectives")
"""Adjectives that many things have."""
GENERIC = word_set("words", "kinds of models")
"""Nouns that say what kind of model is meant, not which."""


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


_Known = dict[tuple[object, ...], tuple[Array, set[str]]]
"""Words that were looked up already."""


class Grounder:
    """Looks words up in the columns of a library."""

    def __init__(self, vocabulary: Vocabulary, columns: Columns):
        self._vocabulary, self._columns = vocabulary, columns
        self._cards = len(columns.created_us)
        self._rarities: dict[str, float] = {}
        self._identity = sorted(
            value for value in columns.identity.values if not value.isdigit() and len(value) > 1
        )
        self._joined = "\n" + "\n".join(self._identity) + "\n"
        self._names = frozenset(columns.called.values)
        self._short = [
            value for value in self._identity if 3 <= len(value) <= 4 and not is_english(value)
        ]

    def ground(self, segments: Sequence[Segment]) -> list[GroundedSegment]:
        """The segments with their words grounded; those without any word are left out."""
        known: _Known = {}
        return [
            GroundedSegment(segment, self._of_segment(segment, known))
            for segment in segments
            if segment.words
        ]

    def _of_segment(self, segment: Segment, known: _Known) -> list[Ground]:
        words = segment.words
        found = []
        for place, mention in enumerate(words):
            key = (mention.words, mention.phrase, mention.kind, mention.subject, mention.style)
            if key not in known:  # a word that stands there a hundred times is looked up once
                known[key] = self._strength(mention)
            strength, spelt = known[key]
            for other in words[place - 1 : place] + words[place + 1 : place + 2]:
                pair = (mention, other) if other in words[place:] else (other, mention)
                glued = pair[0].words.replace(" ", "") + pair[1].words.replace(" ", "")
                if glued in self._columns.identity.values_set:
                    strength = np.maximum(strength, self._cards_with("identity", glued))
                    spelt = spelt | {glued}
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

    def _rarity(self, strength: Array) -> float:
        cards = self._columns.lineage[strength >= IS]
        having = len(np.unique(cards)) if len(cards) else int((strength > 0).sum())
        if not having:
            return 1.0
        lineages = self._lineages
        return math.log(1 + lineages / (1 + having)) / math.log(1 + lineages)

    @cached_property
    def _lineages(self) -> int:
        return max(len(np.unique(self._columns.lineage)), _MIN_LINEAGES)

    def strength_of(self, word: str) -> Array:
        """float32 [cards]: how much the word, in any spelling, says about each card."""
        return self._spelt(word, word)[0]

    def rarity_of(self, word: str) -> float:
        """The rarity of one word of the library."""
        if word not in self._rarities:
            self._rarities[word] = self._rarity(self._word(word))
        return self._rarities[word]

    def _strength(self, mention: Mention) -> tuple[Array, set[str]]:
        """float32 [cards], and the words of the library that were found."""
        columns = self._columns
        spelt: set[str] = set()
        parts = []
        for word in mention.phrase if mention.kind != "word" else (mention.phrase[0],):
            strength, found = self._spelt(word, mention.words if len(mention.phrase) == 1 else word)
            parts.append(strength)
            spelt |= found
        whole: Array = np.mean(np.stack(parts), axis=0)
        if len(parts) > 1:  # "moth boy", of mothboy_xl
            whole = np.maximum(whole, self._cards_with("identity", "".join(mention.phrase)))
        for one in self._abroad(mention.phrase if len(parts) > 1 else ()):
            np.maximum(whole, _ABROAD * self._cards_with("identity", one), out=whole)
            spelt.add(one)
        if mention.subject:
            broader = any(key.match is Match.EXACT for key in mention.subject)
            is_one = np.maximum(whole, _BROADER if broader else _SUBJECT)
            whole = np.where(columns.subjects.any_of(mention.subject), is_one, whole)
        if mention.style:
            whole = np.where(columns.styles.any_of(mention.style), np.maximum(whole, 0.85), whole)
        return whole.astype(np.float32), spelt

    def _spelt(self, word: str, typed: str) -> tuple[Array, set[str]]:
        strength, spelt = self._called(word, typed)
        for one in _synonyms(word):
            own = self._word(one)
            np.maximum(strength, np.where(own >= 0.6, _SYNONYM * own, 0), out=strength)
        for part in self._around(word):
            own = self._cards_with("identity", part)
            factor = _PART_OF_WORD if part.startswith(word) or part.endswith(word) else 0.4
            if (part in self._short and word.startswith(part)) or part == _as_singular(word):
                factor = _PART_OF_WORD
            np.maximum(strength, factor * own, out=strength)
            if factor == _PART_OF_WORD:
                spelt.add(part)
        for number, pieces in self._glued.get(without_base(word), ()):
            strength[self._columns.called.codes == number] = 1.0
            spelt |= pieces
        if len(word) >= 4 and is_english(word):
            if near := self._swapped(word):
                np.maximum(strength, _MISTYPED * self._word(near), out=strength)
                spelt.add(near)
        elif len(word) >= 4 and not strength.any():
            near = closest(word, self._identity)
            if near:
                strength, spelt = _MISTYPED * self._word(near), {word, near}
                whole = self._columns.called.where(lambda name: name == (near,))
                strength[whole] = _MISTYPED_NAME
        return strength, spelt

    def _swapped(self, word: str) -> str | None:
        """The name that is a word with two letters in the wrong order: chisle_set, for "chisel"."""
        swapped = (
            word[:place] + word[place + 1] + word[place] + word[place + 2 :]
            for place in range(1, len(word) - 1)
        )
        named = self._columns.identity.values_set
        return next((one for one in swapped if one in named and not is_english(one)), None)

    def _called(self, word: str, typed: str) -> tuple[Array, set[str]]:
        """As `_spelt`, by the word's other spellings, languages and relatives alone."""
        strength: Array = np.zeros(self._cards, np.float32)
        spelt = {word}
        for weight, others in (
            (1.0, variants(word) | variants(typed) | {without_base(word)}),
            (_KIN, KIN.get(word, frozenset())),
            (_ABROAD, self._abroad((word,))),
        ):
            for one in others:
                np.maximum(strength, weight * self._word(one), out=strength)
            spelt |= others
        return strength, spelt

    def _abroad(self, phrase: Phrase) -> set[str]:
        """The words of other languages for a thing that stand in names, and are not English."""
        named = abroad(phrase) & self._columns.identity.values_set
        return {one for one in named if not is_english(one)}

    def _around(self, word: str) -> list[str]:
        """Names in which the word stands: "kraken" in "krakenlore", "tex" for "texture"."""
        if len(word) < 4:
            return []
        found = [short for short in self._short if word.startswith(short)] if len(word) > 4 else []
        found += [_as_singular(word)] if word.endswith("ie") else []
        if self._cards_with("identity", word).any():
            return found
        at = self._joined.find(word)
        while at >= 0:
            start, end = self._joined.rfind("\n", 0, at) + 1, self._joined.find("\n", at)
            found.append(self._joined[start:end])
            at = self._joined.find(word, end)
        return found

    @cached_property
    def _glued(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        """Two or three words of a name as one -> the names: "realvis" for RealVisXL."""
        found = defaultdict[str, list[tuple[int, frozenset[str]]]](list)
        for number, name in enumerate(self._columns.called.values):
            for first, end in itertools.combinations(range(len(name) + 1), 2):
                if 2 <= end - first <= 3:
                    pieces = name[first:end]
                    found["".join(pieces)].append((number, frozenset(pieces)))
        return found

    def _word(self, word: str) -> Array:
        strength = np.zeros(self._cards, np.float32)
        for name, value in FIELDS.items():
            strength[getattr(self._columns, name).cards_of(word)] = value
        if word == "me" and strength.max(initial=0.0) < A_NAME:  # of whom only a folder says it
            strength[self._columns.tags.cards_of(word)] = 1.0
        return strength

    def _cards_with(self, column: str, word: str) -> Array:
        strength = np.zeros(self._cards, np.float32)
        strength[getattr(self._columns, column).cards_of(word)] = 1.0
        return strength


_GROUNDERS: OrderedDict[str, Grounder] = OrderedDict()
_MAX_GROUNDERS = 4


def grounder_of(version: str, vocabulary: Vocabulary, columns: Columns) -> Grounder:
    """The grounder of a repository's cards; the last few are cached by repository version."""
    grounder = _GROUNDERS.pop(version, None) or Grounder(vocabulary, columns)
    _GROUNDERS[version] = grounder
    while len(_GROUNDERS) > _MAX_GROUNDERS:
        _GROUNDERS.popitem(last=False)
    return grounder


def _as_singular(word: str) -> str:
    """What the names of a library have for "evies", where a word is "evie": "evy"."""
    return f"{word[:-2]}y"


def _synonyms(word: str) -> set[str]:
    """Other single words for the style that a word names."""
    canonical = STYLES.get((word,), ())[:1]
    return {
        phrase[0]
        for phrase, keys in STYLES.items()
        if canonical and len(phrase) == 1 and keys[:1] == canonical and phrase != (word,)
    }
