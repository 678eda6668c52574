"""What a repository can be asked for: its subjects, styles, names and words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, takewhile

import numpy as np

from ..lexicon import (
    FOREIGN,
    FUNCTION,
    MODEL_WORDS,
    NEGATIONS,
    ORDINALS,
    PICTURE_WORDS,
    PLACES,
    RELATED,
    STYLES,
    SUBJECTS,
    TEMPORAL,
    Phrase,
    with_hypernyms,
)
from ..lexicon.readings import WITH_READINGS, Names, names_heard
from ..lexicon.sounds import sound_of
from ..lexicon.spelling import closest, is_english, singular, stems
from .called import CALLED
from .card_facts import LEXICON_WORDS, facts_of, name_key, version_number
from .cards import Card
from .facts import Columns
from .selection import CardSelection, Catalogue
from .subject_key import Match, SubjectKey, subject_keys

_FIRST_WORD = re.compile(r"[^\W_]+")
_SIGNED = re.compile(r"(?!<).*[^\w-]")
_STEPS = re.compile(r"step\d{3,}")
_DOTLESS = re.compile(r"v\d{2,}")
_RELATED = tuple(tuple(stems(one) for one in group) for group in RELATED)

_OF_PEOPLE = ("wan", "klein")
"""Short names of base models that people have too."""
_FOLDER = re.compile(r"(?:^|-)([^\W\d_\u0000-\u024f]+)(?=-)")
"""In an id: a folder whose name is one word, not in Latin letters."""


def catalogue_of(cards: Sequence[Card]) -> Catalogue:
    """The catalogue of some cards, with their facts."""
    return Catalogue(cards, [card.id for card in cards], Columns.of(cards, facts_of))


class Vocabulary:
    """The words and phrases that the cards of a repository have, for reading requests."""

    def __init__(self, cards: Sequence[Card] | Catalogue):
        self._catalogue = cards if isinstance(cards, Catalogue) else catalogue_of(cards)
        columns = self._catalogue.columns
        self.personal = CardSelection(self._catalogue, np.flatnonzero(columns.personal))
        """The cards that a request can mean."""
        self._subjects: dict[Match, set[Phrase]] = {match: set() for match in Match}
        for key in columns.subjects.values:
            self._subjects[key.match].add(key.phrase)
        self.style_phrases: set[Phrase] = set(columns.styles.values)
        self.labels: frozenset[str] = frozenset(columns.labels.values)
        """The builds of all cards (file_names.py)."""
        dotless = {version_number(one) for one in self.labels if _DOTLESS.fullmatch(one)}
        steps = {(int(one[4:]),) for one in self.labels if _STEPS.fullmatch(one)}
        self.numbers = frozenset[tuple[int, ...]](dotless.union(steps, columns.number.values))
        """The versions of all cards, also as a site writes them into names: 140 for 14.0. And after
        how many steps builds were saved: "rosa 2500".
        """
        self.partial_styles: dict[str, set[Phrase]] = defaultdict(set)
        for phrase in self.style_phrases:
            for word in phrase if len(phrase) > 1 else ():
                self.partial_styles[word].add(phrase)

    def named(self, text: str) -> list[str]:
        """Ids of the cards that have the text as a trigger, file name or id.

        In angle brackets, plain English words count too, but not ids.
        """
        key = f"<{name_key(text)}>" if text.startswith("<") else name_key(text)
        found = self._catalogue.columns.names.cards_of(key)
        return [self._catalogue.ids[position] for position in found]

    def file_named(self, text: str) -> list[str]:
        """Ids of the cards whose file is called so, also in plain English words: "bear_new"."""
        key, catalogue = name_key(text), self._catalogue
        found = catalogue.columns.names.cards_of(f"<{key}>")
        return [catalogue.ids[one] for one in found if name_key(catalogue.cards[one].name) == key]

    def begins_a_signed_name(self, text: str) -> bool:
        """Whether the text begins with the first word of a name that contains a sign.

        "saber" is such a word, of "saber_(fate)".
        """
        first = _FIRST_WORD.search(text)
        return first is not None and first[0].lower() in self._signed

    @cached_property
    def _signed(self) -> frozenset[str]:
        names = filter(_SIGNED.match, self._catalogue.columns.names.values)
        return frozenset(found[0] for found in map(_FIRST_WORD.search, names) if found)

    def is_thing(self, base: str, word: str) -> bool:
        """Whether a word for a base model names a subject, as no card is for that base: "pony"."""
        bases = self._catalogue.columns.base_model.values
        is_here = any(one and one.startswith(base) for one in bases)
        return not is_here and bool(self.subject((word,)))

    def is_build(self, name: str, word: str, base: str) -> bool:
        """Whether a word behind a name says for which base model a model is: one of that name is
        for it, or is nothing that the word says: "gosia pony", where no Gosia is a pony.

        A word that is a name of people too says so only of the first: "obi wan".
        """
        columns = self._catalogue.columns
        called = columns.called.where(lambda one: one == stems(name))
        for_it = columns.base_model.where(lambda one: bool(one) and one.startswith(base))
        if (called & for_it).any():
            return True
        is_one = columns.subjects.any_of(subject_keys({(word,)}, Match.KIND))
        return word not in _OF_PEOPLE and bool(called.any()) and not (called & is_one).any()

    def has_called(self, kind: str) -> bool:
        """Whether there are models of a kind that is meant by what they are called: CALLED."""
        return bool(CALLED[kind](self._catalogue.columns).any())

    def subject(self, phrase: Phrase) -> frozenset[SubjectKey]:
        """The subject keys that a phrase of a request stands for; empty if no card has it.

        A phrase may match in several ways: only the first way in which some card has it counts.
        """
        named = SUBJECTS.get(phrase, ())
        for match, phrases in (
            (Match.KIND, (phrase,)),
            (Match.KIND, named),
            (Match.FALLBACK, named),
            (Match.NAME, (phrase,)),
            (Match.EXACT, with_hypernyms(phrase).difference(named)),
        ):
            if found := self._subjects[match].intersection(phrases):
                return frozenset(subject_keys(found, match))
        return frozenset()

    def shows(self, subjects: frozenset[SubjectKey], styles: frozenset[Phrase]) -> bool:
        """Whether some card is of one of these subjects in one of these styles."""
        columns = self._catalogue.columns
        return bool((columns.subjects.any_of(subjects) & columns.styles.any_of(styles)).any())

    def has_both(self, subjects: frozenset[SubjectKey], others: frozenset[SubjectKey]) -> bool:
        """Whether some card is of one of these subjects and of one of the others."""
        columns = self._catalogue.columns.subjects
        return bool((columns.any_of(subjects) & columns.any_of(others)).any())

    def says(self, word: str) -> bool:
        """Whether some card has the word in its description, subjects, styles or name."""
        return word in self._own_words

    def is_medium(self, phrase: Phrase) -> bool:
        """Whether a phrase for a kind of picture ("painting") is a subject of some card."""
        return phrase in self._subjects[Match.KIND] and phrase[-1] in PICTURE_WORDS

    def style(self, phrase: Phrase) -> frozenset[Phrase] | None:
        """The style keys that a phrase stands for.

        Empty for a style that no card has, None for a phrase that is not a style.
        """
        if phrase in self.style_phrases:
            return frozenset((phrase,))
        known = STYLES.get(phrase) or PLACES.get(phrase)
        if not known:
            partial = self.partial_styles.get(phrase[0]) if len(phrase) == 1 else None
            return (
                frozenset(partial)
                if partial and phrase[0] not in FUNCTION and phrase not in SUBJECTS
                else None
            )
        if known[0] in self.style_phrases:
            return frozenset((known[0],))
        if phrase not in STYLES:
            return None  # a place that no card has as a tag is part of the scene
        for group in _RELATED:
            if group[0] == known[0] or (known[0] in group and group[0] in self.style_phrases):
                near = frozenset(group) & self.style_phrases
                if near:
                    return near
        return frozenset()

    @cached_property
    def longest(self) -> int:
        """The number of words in the longest phrase that has a meaning, at most 5."""
        phrases = chain(*self._subjects.values(), self.style_phrases, SUBJECTS, STYLES)
        return min(max(map(len, phrases)), 5)

    @cached_property
    def targets(self) -> frozenset[str]:
        """The words that typing errors are corrected to."""
        phrases = chain(*self._subjects.values(), self.style_phrases)
        known = {word for phrase in phrases for word in phrase}
        styles = {word for phrase in STYLES for word in phrase}
        times = (
            TEMPORAL
            | ORDINALS
            | {"version", "realistic", "model", "build", "spring", "summer", "autumn", "winter"}
        )
        return frozenset(word for word in known | styles | times if word.isalpha())

    @cached_property
    def by_sound(self) -> dict[str, list[str]]:
        """`targets` that may be names, and words of names, by how they sound."""
        found: dict[str, list[str]] = defaultdict(list)
        own = filter(str.isalpha, self.personal.columns.identity.values)
        for name in sorted(self.targets.union(own)):
            if name.isascii() and len(name) > 2:
                found[sound_of(name)].append(name)
        return found

    @cached_property
    def names_to_read(self) -> dict[str, Names]:
        """Language -> the names of models, and words in them that are not English, in Latin
        letters, for words in its signs.

        Of two that sound alike ("tumugi", "tsumugi") the one that more models have.
        """
        columns = self.personal.columns
        called = {name[0] for name in columns.called.values if len(name) == 1}
        names = (
            word
            for word in columns.identity.values
            if word.isascii() and word.isalpha() and len(word) > 2
        )
        own = [
            word
            for word in names
            if word in called or not (is_english(word) or word in LEXICON_WORDS)
        ]
        own.sort(key=lambda word: len(columns.identity.cards_of(word)))
        return {code: Names(own, code) for code in WITH_READINGS}

    @cached_property
    def heard(self) -> tuple[Names, ...]:
        """The words in the names of models as Korean says them: `names_heard`."""
        identity = self.personal.columns.identity
        return names_heard(sorted(identity.values, key=lambda one: len(identity.cards_of(one))))

    @cached_property
    def called_by_folder(self) -> dict[str, str]:
        """The name of a folder that is not in Latin letters -> the word with which the names of all
        models in it begin, of which there are two besides their versions: 紫 -> "yukari".
        """
        found = defaultdict[str, set[tuple[str, ...]]](set)
        for position in self.personal.positions.tolist():
            if name := self._catalogue.columns.called[position]:
                for folder in _FOLDER.findall(self._catalogue.ids[position]):
                    found[folder].add(name)
        first = {folder: {name[0] for name in names} for folder, names in found.items()}
        alike = [one for one, names in first.items() if len(names) == 1 < len(found[one])]
        return {one: first[one].pop() for one in alike}

    def meant(self, word: str) -> str | None:
        """The word that a mistyped one was probably meant to be; None where there is none.

        What a longer word of the library begins with is typed as it is meant: "realvis" of
        realvisxlV50 and of RealVisXL.
        """
        if len(word) > 3 and any(len(own) > len(word) + 1 for own in self._beginning_with(word)):
            return None
        return closest(word, self._targets.get(word[:1], ()))

    @cached_property
    def _targets(self) -> dict[str, list[str]]:
        """`targets` by first letter, which people usually type correctly."""
        found: dict[str, list[str]] = defaultdict(list)
        for word in self.targets:
            found[word[0]].append(word)
        return found

    @cached_property
    def _known(self) -> frozenset[str]:
        tables = (
            LEXICON_WORDS
            | FUNCTION
            | MODEL_WORDS
            | PICTURE_WORDS
            | TEMPORAL
            | ORDINALS
            | NEGATIONS
            | FOREIGN
        )
        return frozenset(self._own_words | tables)

    def _beginning_with(self, word: str) -> Iterator[str]:
        own = self._sorted_words
        behind = (own[place] for place in range(bisect_left(own, word), len(own)))
        return takewhile(lambda one: one.startswith(word), behind)

    @cached_property
    def _sorted_words(self) -> list[str]:
        return sorted(self._own_words)

    @cached_property
    def _own_words(self) -> frozenset[str]:
        columns = self._catalogue.columns
        named = {part for name in columns.names.values for part in name.split("-")}
        return frozenset(named.union(columns.words.values, chain(*columns.called.values)))

    def knows(self, word: str) -> bool:
        """Whether a word is spelt correctly, as far as the tables and the cards tell."""
        return word in self._known or singular(word) in self._known or is_english(word)


_CACHED: OrderedDict[str, Vocabulary] = OrderedDict()
_MAX_CACHED = 4


def vocabulary_of(version: str, catalogue: Callable[[], Catalogue]) -> Vocabulary:
    """The vocabulary of a repository's cards; the last few are cached by repository version."""
    vocabulary = _CACHED.pop(version, None) or Vocabulary(catalogue())
    _CACHED[version] = vocabulary
    while len(_CACHED) > _MAX_CACHED:
        _CACHED.popitem(last=False)
    return vocabulary
