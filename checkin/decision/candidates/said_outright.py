"""Models whose whole name a request says, word for word: "lena schmidt in a park"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...catalog.facts import Columns
from ...language.intent import Intent
from ...lexicon import STYLES
from ...lexicon.spelling import split, stems
from ..evidence.grounder import GENERIC

_AS = re.compile(r"\b(?:as|(?:back )?when \w+ (?:was|were)(?: still| just| only)?) an? ", re.I)
_LEAST = 2
"""The fewest words of a name that tells more than one word for what it is of."""


def as_names_say(cards: Sequence[int], columns: Columns, intent: Intent) -> list[int]:
    """The positions of those cards that lack no word of a rival's name that stands in the request
    word for word; "highland cow" is the name of highlandcow, too.
    """
    names = {card: columns.called[card] for card in cards}
    outright = said_names({*names.values()}, intent)
    having = [
        card
        for card in cards
        if all({*one} <= {*names[card]} or "".join(one) in names[card] for one in outright)
    ]
    return having or [*cards]


def as_styles_say(cards: Sequence[int], columns: Columns, intent: Intent) -> list[int]:
    """The positions of those cards that have all styles that the request names, if any has; the
    name of a model is none.
    """
    said = [one.keys for one in intent.styles if tuple(stems(one.words)) in STYLES]
    fits = [all(columns.styles.any_of(keys)[card] for keys in said) for card in cards]
    return [card for card, fit in zip(cards, fits, strict=True) if fit] or [*cards]


def said_names(names: Iterable[tuple[str, ...]], intent: Intent) -> list[tuple[str, ...]]:
    """Those of some names, of several words, that stand in the request; "mabel as a puppy" and
    "mabel when she was a puppy" say mabel_puppy.
    """
    words = [one.stem for one in split(_AS.sub("", intent.english))]
    return [
        name
        for name in names
        if name[:1]
        and name[0] in words
        and len({*name} - GENERIC) >= _LEAST
        and any(tuple(words[at : at + len(name)]) == name for at in range(len(words)))
    ]
