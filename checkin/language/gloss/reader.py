"""What reads a request in another language, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...catalog.vocabulary import Vocabulary
from ...lexicon.languages import Dictionary, Entry, Profile
from .names import is_name, name_of, stands_in_names

LATIN = "a-z\u00df-\u024f"
"""Latin letters, in a pattern."""
NAMED_KINDS = frozenset("thing look quality action".split())
"""Words of these kinds give way to names in the library."""


@dataclass(frozen=True)
class Item:
    """A word or phrase of a request in English; request[start:end] says it."""

    english: str
    kind: str
    """A `Kind` of the dictionary; "name" of a model, "kept" for other unknown words, or "sign"."""
    start: int
    end: int


@dataclass
class Reader:
    """What the readers of spaced and unspaced languages share."""

    text: str
    language: Profile
    words: Dictionary
    vocabulary: Vocabulary

    def entry(self, phrase: str) -> Entry | None:
        """The entry of a phrase, unless it is the name of a model."""
        found = self.words.entries.get(phrase)
        if found and found.kind in NAMED_KINDS and is_name(phrase, self.vocabulary):
            return None
        if found and found.kind == "time" and stands_in_names(phrase, self.vocabulary):
            return None  # "vitrine de noël", of vitrine_noel
        return found

    def _other(self, token: re.Match[str]) -> Item:
        """A sign, or a name; "2e" is in the dictionary."""
        entry = self.entry(token[0])
        if entry and not self.vocabulary.named(token[0]):
            return Item(entry.english, entry.kind, *token.span())
        return Item(token[0], "sign" if token["sign"] else self._kind(token[0]), *token.span())

    def as_it_is(self, start: int, end: int) -> Item:
        """An unknown word; one in other letters in Latin ones, if a model is called so."""
        typed = self.text[start:end]
        word = name_of(typed, self.words.letters, self.vocabulary) or typed
        return Item(word, self._kind(word), start, end)

    def _kind(self, word: str) -> str:
        called = is_name(word, self.vocabulary) or stands_in_names(word, self.vocabulary)
        return "name" if called else "kept"
