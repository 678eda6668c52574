"""What a model is called where people read it: the words of its file name, whole and as they are
written there, without version and base model.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ..lexicon.spelling import name_pieces, plain, singular
from .file_names import BASES

_BETWEEN = re.compile(r"[-_. ]+")
_DIGITS = re.compile(r"\d+")


def shown_name(name: str, called: Collection[str]) -> str:
    """The name from the first to the last of the words that it is called by; "" if it has none.

    "the old house" of the_old_house_xl_v2, "nieR automata" of nieR_automata_SDXL.
    """
    written = _BETWEEN.split(name)
    words = [
        (word, word if _is_joined(word, before, after, called) else _own(word, called))
        for before, word, after in zip(["", *written], written, [*written[1:], ""], strict=False)
    ]
    own = [place for place, (_, part) in enumerate(words) if part]
    if not own:
        return ""
    within = words[own[0] : own[-1] + 1]
    return " ".join(part or word for word, part in within if part or _is_said(word))


def _own(word: str, called: Collection[str]) -> str:
    """The part of a word of the name by which the model is called, never a lone letter less."""
    if word.isdecimal() and word in called:
        return word
    pieces = name_pieces(word)
    own = [at for at, (start, end) in enumerate(pieces) if _is_called(word, start, end, called)]
    if not own:
        return ""
    first, last = own[0], own[-1]
    start, end = pieces[first][0], pieces[last][1]
    if first and pieces[first - 1] == (start - 1, start):
        start -= 1
    if pieces[last + 1 : last + 2] == [(end, end + 1)]:
        end += 1
    elif (digits := _DIGITS.match(word, end)) and plain(word[: digits.end()]) in called:
        end = digits.end()
    return word[start:end]


def _is_joined(word: str, before: str, after: str, called: Collection[str]) -> bool:
    """Whether a word is part of the name with its neighbour: "age 16", "8 steps"."""
    pairs = ((before, word), (word, after))
    return any(plain(one) + singular(plain(other)) in called for one, other in pairs)


def _is_called(word: str, start: int, end: int, called: Collection[str]) -> bool:
    return singular(plain(word[start:end])) in called


def _is_said(word: str) -> bool:
    return word.isalpha() and plain(word) not in BASES
