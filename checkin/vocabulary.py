"""What a repository can be asked for: its subjects, looks, names and words, worked out once per state of it."""

from __future__ import annotations

import itertools
import re
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import PurePath

import numpy as np

from .cards import Card
from .entries import Catalogue, Entries
from .facts import Columns, Facts
from .lexicon import (
    FOREIGN,
    FUNCTION,
    KIND_OF,
    MODEL_WORDS,
    NEGATIONS,
    ORDINALS,
    PICTURE_WORDS,
    PLACES,
    RELATED,
    STYLES,
    TEMPORAL,
    THINGS,
    Phrase,
    kinds,
)
from .retrieval.bm25 import sparse_card
from .words import closest, is_english, name_words, singular, stems

_RELATED = tuple(tuple(stems(one) for one in group) for group in RELATED)
_LEXICON_WORDS = frozenset(word for table in (THINGS, STYLES, PLACES) for phrase in table for word in phrase)
# Looks that one thing has only one of; other tags (quality, light, place) may differ between builds of one lineage.
_MEDIA = frozenset(key for keys in STYLES.values() for key in keys)
_NAMELESS = frozenset(
    "lora locon lycoris loha lokr checkpoint ckpt model dreambooth safetensors final test new best old version ver "
    "epoch step run train training trained sdxl flux pony illustrious sd15 fp16 bf16 fp32 ema pruned style ohwx sks "
    "tok zwx char character person".split()
)
# Words in names of files that name nothing, or a place, or are part of a look.
_NO_NAMES = (
    FUNCTION
    | _NAMELESS
    | {word for phrase in PLACES for word in phrase}
    | {word for phrase in STYLES for word in phrase if len(phrase) > 1 or phrase == STYLES[phrase][0]}
)
_QUALITY = frozenset(
    stems(text) for text in ("detailed", "high quality", "hq", "sharp", "soft", "bright", "dark", "hd", "4k")
)


def version_number(version: str | None) -> tuple[int, ...]:
    """The numbers in a version: "v1.10" is (1, 10)."""
    numbers = [int(part) for part in re.findall(r"\d+", version or "")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def style_keys(tag: str) -> tuple[Phrase, ...]:
    """What a style tag or a look in a request counts as."""
    phrase = stems(tag)
    return STYLES.get(phrase, ())[:1] or PLACES.get(phrase, ())[:1] or (phrase,)


def subjects_of(card: Card) -> tuple[str, ...]:
    """What a card is of: its subjects, else the things that its triggers name ("sks dog"), its file, its description.

    A style is of nothing: it says "style", or its tags or its name say a look and name no thing.
    """
    if card.subjects:
        return card.subjects
    names = [name_words(name) for name in (*card.triggers, _file_stem(card))]
    for words in names:
        if named := [word for word in words if (word,) in THINGS]:
            return tuple(dict.fromkeys(named))
    if card.styles or any(word == "style" or (word,) in STYLES for words in names for word in words):
        return ()
    return tuple(word for word in stems(card.description) if (word,) in THINGS)[:1]


def _subject_keys(subjects: tuple[str, ...], described: Sequence[Phrase]) -> set[Phrase]:
    """What a card with these subjects can be asked for as.

    The things that they name, those that these are kinds of, and ("=", thing) for what it is at its most exact: a
    "corgi" may be a card that says only "dog", and is none that says "poodle", in its subjects or its description.
    """
    keys: set[Phrase] = set()
    things: set[Phrase] = set()
    for position, subject in enumerate(subjects):
        phrase = stems(subject)
        spoken = [phrase, phrase[:-1]] if len(phrase) > 2 else [phrase]  # "african grey" of an african grey parrot
        for one in [*spoken, phrase[-1:]] if position == 0 or phrase[-1:] in THINGS else spoken:
            keys.add(one)
            things.update(THINGS.get(one, ()) or (one,))
    things |= {kind for phrase in described for kind in THINGS.get(phrase, ()) if KIND_OF[kind] & things}
    wider = frozenset().union(*(KIND_OF.get(thing, ()) for thing in things))
    return (keys | things | wider | {("=", *thing) for thing in things - wider}) - {(), ("=",)}


def _names_of(words: Sequence[str], styles: set[Phrase]) -> set[Phrase]:
    """("~", word) for each word of a name or subject that has no other meaning: "biscuit", "fiat", "bonneville".

    A word for a look is a name where the card has another look: a cat called Inky.
    """
    looks = {word for word in words if set(STYLES.get((word,), ())) & styles}
    return {("~", word) for word in words if len(word) > 2 and word not in _NO_NAMES and word not in looks}


def _file_stem(card: Card) -> str:
    return PurePath(card.path.replace("\\", "/")).stem if card.path else card.id


def _is_usual(word: str) -> bool:
    """Whether a word means something in a request by itself, so that it is no name."""
    return singular(word) in _LEXICON_WORDS or is_english(word)


def _name(text: str) -> str:
    """A trigger or file name in the form in which names are compared."""
    return re.sub(r"[\s_-]+", "-", text.strip().strip("<>").lower())


def _lineage(card: Card, subjects: tuple[str, ...], styles: frozenset[Phrase]) -> tuple[object, ...]:
    """What a card is a build of: its lineage, or subject, look and name when it has none."""
    if card.lineage:
        return (card.lineage,)
    looks = frozenset(key for key in styles if key not in PLACES and key not in _QUALITY)
    stem = re.sub(r"[-_ ]*v?\d[\d.]*$", "", _name(card.trigger or ""))
    return (stem, stems(subjects[0]) if subjects else (), looks)


def facts_of(card: Card) -> Facts:
    """What requests are compared with, of one card."""
    text = " ".join((card.description, *card.subjects, *card.styles))
    names = name_words(" ".join((_file_stem(card), *card.triggers)))
    words = stems(text) + names
    phrases = [*itertools.pairwise(words), *((word,) for word in words)]
    styles = {key for tag in card.styles for key in style_keys(tag)}
    if not card.styles:  # a look that only the description or the name says
        styles = {STYLES[phrase][0] for phrase in phrases if phrase in STYLES and phrase not in _PICTURE}
    things = subjects_of(card)
    subjects = _subject_keys(things, phrases)
    if subjects:
        called = (stems(subject) for subject in card.subjects)
        makes = (word for phrase in called if phrase[-1:] not in THINGS for word in phrase)  # "mini cooper"
        subjects |= _names_of((*names, *makes), styles)
    elif styles:
        styles |= {name[1:] for name in _names_of(names, styles)}
    return Facts(
        subjects=frozenset(subjects),
        styles=frozenset(styles),
        words=frozenset(words),
        names=frozenset(_card_names(card)),
        sparse=tuple(sparse_card(card)),
        lineage=_lineage(card, card.subjects, frozenset(styles)),
        medium=frozenset(styles & _MEDIA) if card.lineage else frozenset(),
        number=version_number(card.version),
        things=things,
    )


def _card_names(card: Card) -> set[str]:
    """The names by which a request may call this very card; plain English words are none."""
    names = {_name(text) for text in (*card.triggers, card.id)}
    if card.path:
        names |= {_name(_file_stem(card)), _name(PurePath(card.path).name)}
    return {name for name in names if not all(_is_usual(part) for part in name.split("-"))}


def catalogue_of(cards: Sequence[Card]) -> Catalogue:
    """Cards with their facts."""
    return Catalogue(cards, [card.id for card in cards], Columns.of(cards, facts_of))


class Vocabulary:
    """The cards of a repository, ready for requests."""

    def __init__(self, cards: Sequence[Card] | Catalogue):
        self._catalogue = cards if isinstance(cards, Catalogue) else catalogue_of(cards)
        columns = self._catalogue.columns
        self.entries = Entries(self._catalogue, np.arange(len(self._catalogue.cards)))
        self.personal = self.entries.where(columns.personal)
        self.subject_phrases: set[Phrase] = set(columns.subjects.values)
        self.style_phrases: set[Phrase] = set(columns.styles.values)
        self.numbers: frozenset[tuple[int, ...]] = frozenset(columns.number.values)
        """The versions that there are."""
        self.partial_styles: dict[str, set[Phrase]] = defaultdict(set)
        for phrase in self.style_phrases:
            for word in phrase if len(phrase) > 1 else ():
                self.partial_styles[word].add(phrase)

    def named(self, text: str) -> list[str]:
        """Ids of the cards whose trigger or file name the text is."""
        found = self._catalogue.columns.names.cards_of(_name(text))
        return [self._catalogue.ids[position] for position in found]

    def subject(self, phrase: Phrase) -> frozenset[Phrase]:
        """The subject keys that a phrase of a request stands for; empty when no card has it."""
        if phrase in self.subject_phrases:
            return frozenset((phrase,))
        named = frozenset(THINGS.get(phrase, ()))
        if exact := named & self.subject_phrases:
            return exact
        if in_a_pinch := {("?", *thing) for thing in named} & self.subject_phrases:
            return frozenset(in_a_pinch)
        if called := {("~", *phrase)} & self.subject_phrases:
            return frozenset(called)
        wider = {("=", *kind) for kind in kinds(phrase) - named}
        return frozenset(wider & self.subject_phrases)

    def shows(self, subjects: frozenset[Phrase], styles: frozenset[Phrase]) -> bool:
        """Whether some card is of one of these subjects in one of these looks."""
        columns = self._catalogue.columns
        return bool((columns.subjects.any_of(subjects) & columns.styles.any_of(styles)).any())

    def says(self, word: str) -> bool:
        """Whether some card has the word in its description, subjects, styles or name."""
        return word in self._own_words

    def is_medium(self, phrase: Phrase) -> bool:
        """Whether a kind of picture ("painting") is what some card is of."""
        return phrase in self.subject_phrases and phrase[-1] in PICTURE_WORDS

    def style(self, phrase: Phrase) -> frozenset[Phrase] | None:
        """The style keys that a phrase stands for; empty for a look that no card has, None for what is no look."""
        if phrase in self.style_phrases:
            return frozenset((phrase,))
        known = STYLES.get(phrase) or PLACES.get(phrase)
        if not known:
            partial = self.partial_styles.get(phrase[0]) if len(phrase) == 1 else None
            return frozenset(partial) if partial and phrase[0] not in FUNCTION and phrase not in THINGS else None
        if known[0] in self.style_phrases:
            return frozenset((known[0],))
        if phrase not in STYLES:
            return None  # a place that no card has as a tag is scenery
        for group in _RELATED:
            if group[0] == known[0] or (known[0] in group and group[0] in self.style_phrases):
                near = frozenset(group) & self.style_phrases
                if near:
                    return near
        return frozenset()

    @cached_property
    def longest(self) -> int:
        """Most words in a phrase that a request can hold."""
        phrases = [*self.subject_phrases, *self.style_phrases, *THINGS, *STYLES]
        return min(max(map(len, phrases)), 5)

    @cached_property
    def targets(self) -> frozenset[str]:
        """Words worth putting right when mistyped."""
        known = {word for phrase in self.subject_phrases | self.style_phrases for word in phrase}
        styles = {word for phrase in STYLES for word in phrase}
        times = TEMPORAL | ORDINALS | {"version", "realistic", "model", "build", "spring", "summer", "autumn", "winter"}
        return frozenset(word for word in known | styles | times if word.isalpha())

    def meant(self, word: str) -> str | None:
        """The word that a mistyped one was probably meant to be, or None."""
        return closest(word, self._targets.get(word[:1], ()))

    @cached_property
    def _targets(self) -> dict[str, list[str]]:
        """By first letter, which people get right."""
        found: dict[str, list[str]] = defaultdict(list)
        for word in self.targets:
            found[word[0]].append(word)
        return found

    @cached_property
    def _known(self) -> frozenset[str]:
        own = self._own_words
        named = {part for name in self._catalogue.columns.names.values for part in name.split("-")}
        tables = _LEXICON_WORDS | FUNCTION | MODEL_WORDS | PICTURE_WORDS | TEMPORAL | ORDINALS | NEGATIONS | FOREIGN
        return frozenset(own | named | tables)

    @cached_property
    def _own_words(self) -> frozenset[str]:
        return frozenset(self._catalogue.columns.words.values)

    def knows(self, word: str) -> bool:
        """Whether a word is spelt right, as far as can be told."""
        return word in self._known or singular(word) in self._known or is_english(word)


_LATEST: OrderedDict[str, Vocabulary] = OrderedDict()
_HELD = 4


def vocabulary_of(version: str, catalogue: Callable[[], Catalogue]) -> Vocabulary:
    """The vocabulary of a repository's cards; the last few are kept by the repository's version."""
    vocabulary = _LATEST.pop(version, None) or Vocabulary(catalogue())
    _LATEST[version] = vocabulary
    while len(_LATEST) > _HELD:
        _LATEST.popitem(last=False)
    return vocabulary


_PICTURE = frozenset((word,) for word in PICTURE_WORDS)
