"""Why a search found a card: where in the card the typed words were met."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalog.cards import Card
from ..lexicon import STYLES
from ..lexicon.spelling import name_words, stems
from .evidence.grounder import Ground
from .search import Found

_FIELDS = ("names", "triggers", "subjects", "styles", "tags", "title", "description", "captions")
"""Fields of a card that are named as a reason, the most telling first, after the file's name."""
IS_A = "is_a"
"""Where a word was met that says what kind of thing the card's subject is: "animal"."""
_MOST = 3
"""The most reasons for one card."""

Reason = tuple[str, str]


def reasons(found: Found, card: Card, position: int) -> list[Reason]:
    """(where, words) of what was met: ("styles", "watercolour"), ("time", "last winter").

    Where is a field of the card, "name" for its file's name, IS_A, or the kind of what was asked of
    the model itself.
    """
    fields = {"name": (card.name,)} | {name: _texts(card, name) for name in _FIELDS}
    words = {name: {word for text in own for word in stems(text)} for name, own in fields.items()}
    words["name"] |= set(name_words(card.name))
    met = []
    for ground in found.grounds:
        is_a = (IS_A, ground.mention.words) if ground.strength[position] > 0 else None
        met.append(_met(ground, card, fields, words) or is_a)
    first = position == found.cards.positions[0]
    met += [gate for gate in found.gates if gate[0] != "order" or first]
    if not any(met):
        met = [_holding(word.casefold(), fields) for word in found.text.split()]
    places: dict[str, dict[str, None]] = {}
    for place, word in filter(None, met):
        places.setdefault(place, {})[word] = None
    return [(place, ", ".join(said)) for place, said in places.items()][:_MOST]


def _met(
    ground: Ground, card: Card, fields: dict[str, Sequence[str]], words: dict[str, set[str]]
) -> Reason | None:
    for name, own in words.items():
        if same := own & {*ground.spelt, *ground.mention.phrase}:
            return name, min(same)
    meant = ground.mention.style or frozenset()
    for style in card.styles:
        if not meant.isdisjoint(STYLES.get(stems(style), (stems(style),))):
            return "styles", style
    return _holding(ground.mention.words, fields)


def _holding(word: str, fields: dict[str, Sequence[str]]) -> Reason | None:
    """The first field with the word inside another word."""
    for name, own in fields.items():
        if any(word in text.casefold() for text in own):
            return name, word
    return None


def _texts(card: Card, name: str) -> Sequence[str]:
    value = getattr(card, name)
    return (value,) if isinstance(value, str) else tuple(value)
