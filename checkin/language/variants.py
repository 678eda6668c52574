"""Variants of a trigger: outfits and looks that a card has triggers or groups of words for.

A card with the triggers "anna" and "anna red dress" is called by the second one where the request
says "red dress". A group of words, "anna, red dress, high heels", goes beside the trigger.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..catalog.cards import Card
from ..lexicon import FUNCTION, NEGATIONS
from ..lexicon.spelling import is_english, split
from ..readers.trigger_words import is_generic
from .rewrite import Rewrite, named_spans
from .trigger_prompt import escaped, mentions

_LINKS = r"(?:(?:in|with|wearing|and|a|an|the|her|his|its|their|my|some)\s+)*"
"""What may stand between a subject and what it wears."""
_REACH = 3
"""Words that one "not" reaches."""


@dataclass(frozen=True)
class Variant:
    """How a card's model is called for one request."""

    card: Card
    """The card, with the trigger that is used as its first."""
    words: tuple[str, ...] = ()
    """The words of this trigger that the card's own first one has not, in order."""
    beside: tuple[str, ...] = ()
    """Words of the card that belong beside this trigger."""


def variant_of(card: Card, request: str) -> Variant:
    """The variant whose words the request says; the card's first trigger if it says none.

    Two variants of which as much is said leave the first trigger, too.
    """
    if not card.trigger:
        return Variant(card)
    said = _said(request)
    group = _group(card, said)
    beside = tuple(one for one in group if one in card.triggers and not is_generic(one))
    own = _own_trigger(group, card)
    if own:
        return Variant(_first(card, own), (), tuple(one for one in beside if one != own))
    main = _words(card.trigger)
    found = []
    for other in card.triggers[1:]:
        words = _distinguishing(other, card.trigger)
        if words and words <= said and not (main - _words(other) and main <= said):
            found.append((len(words), other))
    most = max((count for count, _ in found), default=0)
    best = [other for count, other in found if count == most]
    if len(best) != 1:
        return Variant(card, (), tuple(one for one in beside if one != card.trigger))
    words = _distinguishing(best[0], card.trigger)
    written = tuple(word.text for word in split(best[0]) if word.stem in words)
    return Variant(
        _first(card, best[0]), written, tuple(one for one in beside if not _words(one) <= main)
    )


def finished(text: str, used: Variant) -> Rewrite:
    """The text, which has the trigger, without the trigger's words said once more ("in a red
    dress"), and with the words beside it that the text does not have yet.
    """
    edits = [(start, end, "") for start, end in _twice(text, used)]
    missing = [escaped(one) for one in used.beside if not mentions(text, one)]
    if missing:
        end = len(text.rstrip(" \t\n,.;"))
        edits.append((end, len(text), f"{', ' if end else ''}{', '.join(missing)}"))
    for start, end, put in reversed(edits):
        text = text[:start] + put + text[end:]
    return Rewrite(text, (), tuple(edits))


def triggers_in(prompt: str, card: Card) -> list[str]:
    """The triggers of the card that a prompt has, the longest first."""
    found = (one for one in card.triggers if not is_generic(one) and mentions(prompt, one))
    return sorted(found, key=len, reverse=True)


def _first(card: Card, trigger: str) -> Card:
    others = (one for one in card.triggers if one != trigger)
    return replace(card, triggers=(trigger, *others))


def _words(text: str) -> set[str]:
    return {word.stem for word in split(text) if word.text not in FUNCTION}


def _said(request: str) -> set[str]:
    """The words of a request that it does not deny."""
    words = split(request)
    denied = {
        at + reach
        for at, word in enumerate(words)
        if word.text in NEGATIONS
        for reach in range(_REACH + 1)
    }
    return {word.stem for at, word in enumerate(words) if at not in denied}


def _distinguishing(trigger: str, main: str) -> set[str]:
    """The words that a variant has and the main trigger has not; none where it is no variant.

    A variant is called by the same name: the words of the main trigger that are not English, else
    all of them, or the same first word. What it adds are English words.
    """
    words, called = split(trigger), split(main)
    stems, own = {one.stem for one in words}, {one.stem for one in called}
    name = {one.stem for one in called if not is_english(one.text)} or own
    same_first = bool(words and called) and words[0].stem == called[0].stem
    added = _words(trigger) - own
    same = name <= stems or (same_first and all(is_english(one) for one in name))
    return added if same and not is_generic(trigger) and all(map(is_english, added)) else set()


def _group(card: Card, said: set[str]) -> Sequence[str]:
    """The group of words of which the request says most; () for none.

    It must say the first of the words that no other group has, or two of them: "smile" alone, in
    one group of many, asks for no outfit.
    """
    groups = [[one.strip() for one in group.split(",")] for group in card.variants]
    best: Sequence[str] = ()
    most, tied = 0, False
    for group in groups:
        others = {one for other in groups if other is not group for one in other}
        own = [one for one in group if one not in others and one != card.trigger]
        own = [one for one in own if not is_generic(one) and _words(one)]
        there = [one for one in own if _words(one) <= said]
        if not there or (there[0] != _described(own) and len(there) < 2):
            continue
        if len(there) > most:
            best, most, tied = group, len(there), False
        elif len(there) == most:
            tied = True
    return () if tied else best


def _described(own: Sequence[str]) -> str:
    """The first of the words that are no made-up trigger."""
    return next((one for one in own if all(map(is_english, _words(one)))), own[0])


def _own_trigger(group: Sequence[str], card: Card) -> str | None:
    """The trigger that a group has instead of the card's first one: a made-up word, as it is."""
    if not group or card.trigger in group:
        return None
    made_up = (one for one in group if not all(map(is_english, _words(one))))
    return next((one for one in made_up if one in card.triggers), None)


def _twice(text: str, used: Variant) -> list[tuple[int, int]]:
    """Spans beside the trigger that say its words once more."""
    if not used.words or not used.card.trigger:
        return []
    words = r"[\s_-]+".join(map(re.escape, used.words))
    found = []
    for start, end in named_spans(text, used.card.trigger):
        if after := re.compile(rf"\s+{_LINKS}{words}(?![\w-])", re.IGNORECASE).match(text, end):
            found.append(after.span())
        elif before := re.search(rf"(?<![\w-]){words}\s+$", text[:start], re.IGNORECASE):
            found.append(before.span())
    return found
