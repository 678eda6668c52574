"""Triggers that a request spells exactly as a card does.

They decide which model is meant, whatever else the request says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..catalog.vocabulary import Vocabulary
from ..readers.trigger_words import plain_trigger

_BRACKETED = re.compile(r"<([^<>\n]{1,120})>")
_PHRASE = re.compile(r"[^,\n]+")
_WORD = re.compile(r"[^\s,]+")
_SIGN = re.compile(r"[^\w\s'<>-]")
"""A character that no ordinary word has.

Names with only letters and digits are found together with the words (parse.py).
"""
_MAX_WORDS = 6
_STOPS = ".;:!?"


def exact_names(text: str, vocabulary: Vocabulary) -> tuple[tuple[str, ...], str]:
    """(ids of the cards that the triggers in the text name, the text with these triggers blanked).

    In angle brackets any trigger counts; elsewhere only one that contains a sign ("saber_(fate)",
    in any spelling that a prompt allows). If one card has several of the triggers, that card is
    meant; otherwise all cards that have one of them.
    """
    found: list[list[str]] = []
    left = text
    for start, end, name in [*_bracketed(text), *_signed(text, vocabulary)]:
        ids = vocabulary.named(name)
        if ids and left[start:end] == text[start:end]:  # not part of a longer trigger
            found.append(ids)
            left = left[:start] + " " * (end - start) + left[end:]
    meant: tuple[str, ...] = ()
    for ids in found:
        named = set(ids)
        meant = tuple(one for one in meant if one in named) or tuple(dict.fromkeys((*meant, *ids)))
    return meant, left


def unknown_triggers(request: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The words in angle brackets that name no model of the library, brackets included."""
    # <lora:...> is not a trigger.
    said = (match[0] for match in _BRACKETED.finditer(request) if ":" not in match[1])
    return tuple(dict.fromkeys(one for one in said if not vocabulary.named(one)))


def _bracketed(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _BRACKETED.finditer(text):
        yield *match.span(), match[0]


def _signed(text: str, vocabulary: Vocabulary) -> list[tuple[int, int, str]]:
    """(start, end, trigger) of each run of words that may be a trigger with a sign.

    The longest come first.
    """
    pieces = []
    for phrase in _PHRASE.finditer(text):
        words = [match.span() for match in _WORD.finditer(text, *phrase.span())]
        for first, (start, _) in enumerate(words):
            for _, end in words[first : first + _MAX_WORDS]:
                piece = text[start:end]
                if _SIGN.search(piece) and vocabulary.begins_a_signed_name(piece):
                    names = dict.fromkeys(
                        (plain_trigger(piece), plain_trigger(piece.rstrip(_STOPS)))
                    )
                    pieces += [(start, end, name) for name in names if _SIGN.search(name)]
    return sorted(pieces, key=lambda piece: piece[0] - piece[1])
