"""The words of a request that were not understood.

They are words that matter and that no rule used, and words of other languages.
"""

from __future__ import annotations

import re

from ..catalog.vocabulary import Vocabulary
from ..lexicon import FOREIGN, FUNCTION, NEGATIONS, ORDINALS, TEMPORAL
from ..lexicon.english import word_set
from ..lexicon.spelling import split
from .phrases import Mention, run_after

_CERTAIN_TIMES = word_set("times", "certain time words")
_VAGUE = word_set("times", "vague time words")
_LATIN = re.compile(r"[a-z\u00df-\u024f]+")


def unhandled_words(mentions: list[Mention], used: set[int]) -> list[str]:
    """Words of time, order, choice and negation, and numbers, that no rule used.

    `used` holds the positions of the words that rules used.
    """
    found = []
    for position, mention in enumerate(mentions):
        if mention.first in used:
            continue
        word = mention.words
        if (word in ("or", "either") and not mention.is_scene) or word in NEGATIONS:
            found.append(word)
        elif re.fullmatch(r"\d+(?:st|nd|rd|th)?", word):
            counted = any(
                m.words != m.phrase[-1] for m in run_after(mentions, position)
            )  # "2 sketchy dogs" is a count
            if not counted and not mention.is_scene:
                found.append(word)
        elif mention.is_scene:
            found += [word] if word in _CERTAIN_TIMES else []
        elif word in (TEMPORAL | ORDINALS) - _VAGUE and mention.kind != "model":
            found.append(word)
    return found


def foreign_words(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The foreign words of a request; none if it seems to be in English."""
    words = [word.text for word in split(text) if word.text.isalpha()]
    strange = [word for word in words if not _LATIN.fullmatch(word)]
    small = [
        word
        for word in words
        if word in FOREIGN and word not in FUNCTION and not vocabulary.subject((word,))
    ]
    unknown = [word for word in words if word in (*strange, *small) or not vocabulary.knows(word)]
    if strange or (small and len(unknown) >= 2 and 3 * len(unknown) >= len(words)):
        return tuple(dict.fromkeys(unknown))
    return ()


def unknown_words(mentions: list[Mention], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The words that are neither English nor in the library."""
    return tuple(
        m.words
        for m in mentions
        if m.kind == "word" and m.words.isalpha() and not vocabulary.knows(m.words)
    )
