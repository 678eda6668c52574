"""The grounds of a card: the words by which a request can mean it, by where they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from ..lexicon import FUNCTION, STYLES, with_hypernyms
from ..lexicon.abroad import looks_in
from ..lexicon.base_models import label_of
from ..lexicon.english import one_of
from ..lexicon.folders import LOOKS, OF_ME
from ..lexicon.function_words import SMALL_NAMES
from ..lexicon.notes import relatives_in
from ..lexicon.spelling import name_words, stems
from ..readers.trigger_words import is_generic
from .bearers import bearers_of
from .cards import Card
from .file_names import (
    SHORT_BASES,
    FileName,
    is_noted_as_rejected,
    is_rejected,
    numbered_words,
    read_file_name,
    without_site_version,
)
from .origins import origin_of

SHOWN = 0.5
"""The share of training pictures from which on a caption says what the model is of."""
_LOOK = re.compile(r"(?<![a-z])(?:style|look|aesthetic|artist|film)", re.IGNORECASE)
_IS_ME = re.compile(rf"\b{one_of('kin', 'oneself')}\b", re.IGNORECASE)
_BEGINNING = 60
"""Letters of a note that may name what it is of."""
_LEAST_NAMED = 4
_HAS = re.compile(r"\b(?:with|wearing|holding|having)\b", re.IGNORECASE)
_ME = re.compile(rf"(?:^|[\W_]){one_of('kin', 'self')}(?:[\W_]|\d|$)", re.IGNORECASE)


def grounds_of(card: Card) -> dict[str, Any]:
    """The fields of `Facts` that hold words, and what the file's name says."""
    stem = card.name if card.path else ""
    name = read_file_name(stem) if stem else FileName((), frozenset(), False, False)
    place = card.id.replace("-", " ") if card.path else ""  # its path in the library
    path = PurePath((card.path or "").replace("\\", "/"))
    spelt = path.stem.casefold()  # as the id has it
    folder = place.removesuffix(re.sub(r"[^\w.]+", " ", spelt).strip(" ."))
    triggers, has = said_by_triggers(card)
    said = {
        *name.words,
        *numbered_words(stem),
        *_words((*triggers, *card.subjects)),
        *(word for name in card.names for word in _telling(stems(name))),
        *(word for text in triggers for word in name_words(text)),
    }
    titled = {*stems(card.title), *name_words(card.title)} - base_words(card) - SHORT_BASES
    identity = ((said | titled) - FUNCTION) | SMALL_NAMES.intersection(name.words)
    own = card.path and card.origin != "downloaded"
    inside = {*folder.split()[-1:], path.parent.name.casefold()}  # of the library, and one word
    of_me = len(inside) == 1 and inside <= OF_ME
    if own:
        identity |= relatives_in(card.description) | _named_in_note(card)
    if own and (_ME.search(stem) or _IS_ME.search(card.description[:60])):
        identity.add("me")
    shares: Counter[str] = Counter()  # of words: captions in sentences each occur once
    for caption, share in card.captions.items():
        shares.update(dict.fromkeys(stems(caption), share))
    shown = {word for word, share in shares.items() if share >= SHOWN}
    kinds = {
        kind[0] for word in identity | shown for kind in with_hypernyms((word,)) if len(kind) == 1
    }
    tags = {
        *_words((*card.tags, *card.styles)),
        *name_words(place),
    }
    own_version = card.version and card.sources.get("version") != "file name"
    labels = name.labels | ({f"v{card.version}"} if own_version else set())
    rejected = (
        name.rejected
        or is_rejected(folder.removesuffix("old "))
        or (card.origin != "downloaded" and is_noted_as_rejected(card.description[:300]))
    )
    called = name.words
    if card.kind == "checkpoint":
        called = read_file_name(without_site_version(stem)).words or called
    return {
        "identity": frozenset(identity),
        "kinds": frozenset(kinds),
        "tags": frozenset(tags - FUNCTION | ({"me"} if own and of_me else set())),
        "captions": frozenset(_words((*card.captions, *has))) - FUNCTION,
        "called": called,
        "bearers": bearers_of(card, called, identity),
        "labels": frozenset(labels),
        "state": "rejected" if rejected else "unfinished" if name.unfinished else "finished",
        "look": _is_look(card, place, folder),
        "origin": origin_of(card, folder),
        "folder": folder.strip(),
    }


def said_by_triggers(card: Card) -> tuple[list[str], list[str]]:
    """(what the triggers say that it is, what they say that it has).

    "aldpen, elderly knight with a white moustache" was cut at the comma: of the knight, "moustache"
    is no name.
    """
    is_of: list[str] = []
    has: list[str] = []
    for one in card.triggers:
        with_it = _HAS.search(one) if is_of else None
        if with_it:
            is_of.append(one[: with_it.start()].strip())
            has.append(one[with_it.end() :])
        elif has:
            has.append(one)
        elif not is_generic(one):
            is_of.append(one)
    return is_of, has


def _named_in_note(card: Card) -> set[str]:
    """Words that a note begins with and a trigger has in it: "tasha from work", of "tashaw"."""
    trigger = "".join(card.triggers).casefold()
    said = stems(card.description[:_BEGINNING])
    return {one for one in said if len(one) >= _LEAST_NAMED and one in trigger}


def base_words(card: Card) -> set[str]:
    """The words for a card's base model, which say nothing of it in a name: "Pixar [Pony]"."""
    return {*stems(label_of(card.base_model))} if card.base_model else set()


def _telling(name: Sequence[str]) -> list[str]:
    """The words of a name by which it can be told, of several: "iya" of "iya mi"."""
    long = [word for word in name if len(word) > 2 or not word.isascii()]
    return long or [*name]


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in stems(text)}


def _is_look(card: Card, place: str, folder: str) -> bool:
    said = " ".join((card.name, card.title, *card.triggers, *card.tags, place))
    words = name_words(card.name)
    styles = [one for one in card.subjects if tuple(stems(one)) in STYLES]
    named = bool(styles or looks_in(words)) or any((word,) in STYLES for word in words)
    of_thing = len(styles) < len(card.subjects)
    trained_on = (one for one, share in card.captions.items() if share >= SHOWN)
    called = _LOOK.search(said) or LOOKS.search(folder)
    if called or any(one.endswith(" style") for one in trained_on):
        return True
    return not of_thing and (named or bool(card.styles))
