"""The nouns of a text that name the subject of a card."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..catalog.card_facts import subjects_of
from ..catalog.cards import Card
from ..lexicon import FUNCTION, HYPERNYMS, MODEL_WORDS, STYLES, SUBJECTS, TEMPORAL, Phrase
from ..lexicon.spelling import closest, plain, singular, split, stems
from .origins import Span
from .times.periods import MONTHS

_CAPITAL = re.compile(r"[A-Z][a-z]+")
_OF_ONE = frozenset({("face",), ("being",)})
"""Words that name a subject behind "a" or at the beginning only: not "his face", "being late"."""


def subject_nouns(text: str, card: Card, protected: Sequence[Span]) -> list[tuple[int, int, str]]:
    """(start, end, ending to keep) of each phrase that names the card's subject, none of it in
    `protected`.

    The phrases are those of the most certain way to name it that occurs in the text.
    """
    for phrases in _ways(text, card):
        if found := _found(text, phrases, protected):
            return found
    return []


def _ways(text: str, card: Card) -> list[frozenset[Phrase]]:
    """Sets of phrases that may name the card's subject, the most certain set first.

    These are what the user calls it, its own words, synonyms, head nouns, related subjects and
    typing errors.
    """
    called = frozenset(stems(name) for name in card.names) - {()}
    own = frozenset(stems(subject) for subject in subjects_of(card)) - {()}
    return [called, own, *_other_words(own), _mistyped(text, own)]


@lru_cache(maxsize=1000)
def _other_words(own: frozenset[Phrase]) -> tuple[frozenset[Phrase], ...]:
    """Synonyms, head nouns, and related subjects of a card's own subjects."""
    meant = {subject for phrase in own for subject in SUBJECTS.get(phrase, ())}
    wider = meant.union(*(HYPERNYMS[subject] for subject in meant))
    synonyms = frozenset(phrase for phrase, named in SUBJECTS.items() if meant & set(named))
    kindred = frozenset(
        phrase
        for phrase, named in SUBJECTS.items()
        if any(subject in wider or HYPERNYMS[subject] & meant for subject in named)
    )
    return synonyms, frozenset(phrase[-1:] for phrase in own), kindred


def _mistyped(text: str, phrases: Iterable[Phrase]) -> frozenset[Phrase]:
    """Words of the text that are probably single-word subjects, mistyped."""
    nouns = {phrase[0] for phrase in phrases if len(phrase) == 1}
    return frozenset((word.stem,) for word in split(text) if closest(word.stem, nouns))


def _found(
    text: str, phrases: Iterable[tuple[str, ...]], protected: Sequence[Span]
) -> list[tuple[int, int, str]]:
    words = split(text)
    found: list[tuple[int, int, str]] = []
    taken: set[int] = set()
    for phrase in sorted(phrases, key=len, reverse=True):
        for at in range(len(words) - len(phrase) + 1):
            group = words[at : at + len(phrase)]
            positions = range(at, at + len(phrase))
            if tuple(word.stem for word in group) != phrase or taken & set(positions):
                continue
            gaps = (text[one.end : other.start] for one, other in itertools.pairwise(group))
            span = (group[0].start, group[-1].end)
            if (
                any(gap.strip("-_ ") for gap in gaps)
                or inside(span, protected)
                or not stands_free(text, *span)
                or (phrase in _OF_ONE and at and words[at - 1].text not in ("a", "an"))
            ):
                continue
            if is_proper(text, *span):
                continue
            taken |= set(positions)
            typed = text[group[-1].start : span[1]]
            found.append((*span, ending_of(typed)))
    return found


def ending_of(typed: str) -> str:
    """What stays behind a word: "'s" of "bear's"; the "s" of "bears" would be a letter alone."""
    return typed[-2:] if plain(typed).endswith("'s") else ""


def stands_free(text: str, start: int, end: int) -> bool:
    """Whether no hyphen or underscore joins the phrase to another word.

    "bear-shaped" and "bear_(shape)" are joined.
    """
    tied = re.search(r"[\w][-_]$", text[max(start - 2, 0) : start]) or re.match(
        r"[-_][\w(\\]", text[end : end + 2]
    )
    return tied is None


def is_proper(text: str, start: int, end: int) -> bool:
    """Whether the phrase is part of a name.

    It is if it and a word next to it are capitalised, and most words are not.
    """
    if not _CAPITAL.match(text[start:end]):
        return False
    words = re.findall(r"[A-Za-z]{3,}", text)
    if sum(word[0].isupper() for word in words) > len(words) / 2:
        return False
    before = re.search(r"([A-Za-z]+)\s+$", text[:start])
    after = re.match(r"\s+([A-Za-z]+)", text[end:])
    return any(
        beside and _CAPITAL.match(beside[1]) and not _usual(beside[1]) for beside in (before, after)
    )


def _usual(word: str) -> bool:
    """Whether a capitalised word is not a name.

    It is a word that begins a sentence, or names a month or a style.
    """
    low = word.lower()
    return low in FUNCTION | MODEL_WORDS | TEMPORAL | set(MONTHS) or (singular(low),) in STYLES


def inside(span: Span, others: Iterable[Span]) -> bool:
    """Whether a span has a part in another."""
    return any(span[0] < end and start < span[1] for start, end in others)
