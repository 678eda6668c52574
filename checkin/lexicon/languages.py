"""The languages that requests are read in besides English: one folder of data for each."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from .data import read

FOLDER = Path(__file__).parent
ABOUT = "language.yaml"
"""The file of a folder that is read for every request: by what the language is known."""
EXAMPLES = "examples.yaml"
REPLIES = "replies.yaml"
"""Common answers to questions (replies.py)."""
SENTENCES = "sentences.yaml"
"""What is said in the language (sentences.py)."""
READINGS = "readings.yaml"
"""Letters of names, each with all ways to read it (readings.py)."""
LOANWORDS, SPELT_OUT = "loanwords.yaml", "spelt_out.yaml"
"""How a language writes English words in its letters, and how it says Latin letters one by one
(readings.py).
"""
_NO_WORDS = frozenset((ABOUT, REPLIES, EXAMPLES, SENTENCES, READINGS, LOANWORDS, SPELT_OUT))
OTHERS = FOLDER / "other_languages.yaml"
"""Languages that are recognised, but not understood."""
_JOINED = 3
"""From more letters on, people who join particles leave out the spaces of a phrase: 손흔드는."""
NOTHING = "~"
"""What stands for the English of words that say nothing."""
Kind = Literal[
    "thing",
    "look",
    "quality",
    "action",
    "small",
    "time",
    "model",
    "made",
    "after",
    "mark",
    "number",
    "name",
    "kept",
]


@dataclass(frozen=True)
class Profile:
    """By what a language is recognised, and how it is built."""

    code: str
    """As in ISO 639-1."""
    name: str
    known: bool = True
    """Whether its requests are understood."""
    script: re.Pattern[str] | None = None
    """A letter that only this language is written with; None for one in Latin letters."""
    also: re.Pattern[str] | None = None
    """Letters that it shares with others."""
    signs: frozenset[str] = frozenset()
    """Small and frequent words that English does not have."""
    weak: frozenset[str] = frozenset()
    """Those that are words of other languages, or names, too; each counts half."""
    articles: frozenset[str] = frozenset()
    """Those of `weak` that show the language where a request begins with one."""
    signed: re.Pattern[str] | None = None
    """Latin letters that show the language."""
    spaced: bool = True
    """Whether spaces part its words."""
    joined: bool = False
    """Whether particles are joined to the words before them, though spaces part others (Korean)."""
    unspaced: bool = False
    """Whether its words stand together, and a space parts phrases."""
    head_last: bool = False
    """Whether what describes a noun stands before it, and particles after it (Japanese)."""
    clauses_first: bool = False
    """Whether a relative clause stands before its noun (Chinese)."""
    modifiers_last: bool = False
    """Whether adjectives stand after their noun (French)."""
    links: tuple[str, ...] = ()
    """What joins the parts of a compound; empty for a language that does not join words."""
    endings: tuple[tuple[str, str], ...] = ()
    """(ending, what stands for it in the dictionary), the first that gives a known word counts."""
    around: dict[str, str] = field(default_factory=dict, hash=False)
    """What a word is in English beside a time: "before" for what is else "in front of"."""
    grammar: re.Pattern[str] | None = None
    """Unknown letters that are endings, and no word."""
    doing: re.Pattern[str] | None = None
    """Unknown words that say what somebody does: "zapateando"."""
    please: re.Pattern[str] | None = None
    """Words of courtesy, which are not drawn."""
    plain: tuple[tuple[str, str], ...] = ()
    """(letter, what people type where they have no key for it)."""

    def forms(self, word: str) -> list[str]:
        """The word, and what it may be in the dictionary."""
        return [word] + [
            word.removesuffix(ending) + to
            for ending, to in self.endings
            if word.endswith(ending) and len(word) - len(ending) >= 2
        ]

    def typed(self, word: str) -> str:
        """The word without the letters that some keyboards lack."""
        for letter, to in self.plain:
            word = word.replace(letter, to)
        return word


@dataclass(frozen=True)
class Entry:
    """A word or phrase of a language in English."""

    english: str
    kind: Kind


@dataclass(frozen=True)
class Dictionary:
    """The words of one language."""

    entries: dict[str, Entry] = field(repr=False)
    """Phrase in lower case -> its English."""
    longest: int
    """Words of the longest phrase, or letters where no spaces part words."""
    letters: dict[str, str] = field(repr=False)
    """Letter or syllable -> Latin letters, for names."""


ENGLISH = Profile("en", "English")


@cache
def profiles() -> tuple[Profile, ...]:
    """All languages but English, those that are understood first."""
    known = [
        _profile(path.parent.name, read(path), known=True)
        for path in sorted(FOLDER.glob(f"*/{ABOUT}"))
    ]
    codes = {one.code for one in known}
    others = [
        _profile(code, about, known=False)
        for code, about in read(OTHERS).items()
        if code not in codes
    ]
    return (*known, *others)


@cache
def dictionary(code: str) -> Dictionary:
    """The words of a language that is understood.

    Its files are tables: kind -> English -> words of the language, with commas between them.
    """
    [profile] = [one for one in profiles() if one.code == code]
    entries: dict[str, Entry] = {}
    letters: dict[str, str] = {}
    for path in sorted((FOLDER / code).glob("*.yaml")):
        if path.name in _NO_WORDS:
            continue
        for kind, table in read(path).items():
            for english, words in table.items():
                for word in map(_as_typed, words.lower().split(",")):
                    if kind == "letters":
                        letters[word] = "" if english == NOTHING else english
                    elif word:
                        entries.setdefault(word, Entry("" if english == NOTHING else english, kind))
    for word, entry in list(entries.items()):
        entries.setdefault(profile.typed(word), entry)
        if profile.joined and len(word) > _JOINED:
            entries.setdefault(word.replace(" ", ""), entry)
    longest = max(len(one.split()) if profile.spaced else len(one) for one in entries)
    return Dictionary(entries, longest, letters)


def said_also(code: str, word: str) -> frozenset[str]:
    """The other words of a language for the thing that a word of it means."""
    entry = dictionary(code).entries.get(word)
    return _things(code).get(entry.english, frozenset()) - {word} if entry else frozenset()


@cache
def _things(code: str) -> dict[str, frozenset[str]]:
    """English -> the words of a language for that thing."""
    found = defaultdict[str, set[str]](set)
    for word, entry in dictionary(code).entries.items():
        if entry.kind == "thing":
            found[entry.english].add(word)
    return {english: frozenset(words) for english, words in found.items()}


def examples(code: str) -> list[dict[str, Any]]:
    """The requests of a language with what is expected of reading them."""
    found = read(FOLDER / code / EXAMPLES)
    assert isinstance(found, list)
    return found


def _as_typed(phrase: str) -> str:
    """A phrase with one space between its words: "grand-mère" is two, "l'été" too."""
    return " ".join(re.sub(r"-|(?<=')", " ", phrase).split())


def _profile(code: str, about: dict[str, Any], known: bool) -> Profile:
    def pattern(name: str) -> re.Pattern[str] | None:
        return re.compile(about[name]) if name in about else None

    order = about.get("order", "").split(", ")
    plain = tuple(about.get("plain", {}).items())
    signs = about.get("signs", "")
    for letter, to in plain:
        signs += " " + signs.replace(letter, to)
    weak = frozenset(about.get("weak", "").split())
    return Profile(
        code,
        about["name"],
        known,
        script=pattern("script"),
        also=pattern("also"),
        signs=frozenset(signs.split()) - weak,
        weak=weak,
        articles=frozenset(about.get("articles", "").split()),
        signed=pattern("signed"),
        spaced=not {"unspaced", "joined"} & set(order),
        joined="joined" in order,
        unspaced="unspaced" in order,
        head_last="head last" in order,
        clauses_first="clauses first" in order,
        modifiers_last="modifiers last" in order,
        links=tuple("" if one == NOTHING else one for one in about.get("links", "").split()),
        endings=tuple(
            (ending, "" if to == NOTHING else to)
            for ending, others in about.get("endings", {}).items()
            for to in others.split()
        ),
        around=about.get("around times", {}),
        grammar=pattern("grammar"),
        doing=pattern("doing"),
        please=pattern("please"),
        plain=plain,
    )
