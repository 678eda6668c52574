"""How names sound, where the letters of other languages write them: "rosa" is "ロサ"."""

from __future__ import annotations

import re

_ALIKE = (
    ("ph", "f"), ("th", "s"), ("ck", "k"), ("qu", "k"), ("x", "ks"), ("c", "k"), ("q", "k"),
    ("l", "r"), ("v", "b"), ("z", "s"), ("j", "s"), ("w", ""), ("y", ""), ("h", ""),
)  # fmt: skip
"""Sounds that letters of other languages do not tell apart."""
_VOWELS = re.compile(r"[aeiou]+")


def sound_of(word: str) -> str:
    """The consonants of a name, those alike as one, with its first vowel."""
    word = as_it_sounds(word)
    first = _VOWELS.match(word)
    consonants = _VOWELS.sub("", word)
    return ("a" if first else "") + re.sub(r"(.)\1+", r"\1", consonants)


def as_it_sounds(word: str) -> str:
    """The name with one spelling of all sounds that are alike."""
    for one, other in _ALIKE:
        word = word.replace(one, other)
    return word
