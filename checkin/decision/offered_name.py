"""The words of a request that a model, picked by hand, could be called by from now on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..catalog.cards import Card
from ..catalog.selection import CardView
from ..language.intent import Intent
from ..language.phrases import MYSELF
from ..language.segments import segments_of
from ..language.trigger_prompt import mentions
from ..lexicon import (
    FOREIGN,
    FUNCTION,
    MOODS,
    NEGATIONS,
    OPTICS,
    ORDINALS,
    PLACES,
    PRAISE,
    STYLES,
    SUBJECTS,
    TEMPORAL,
)
from ..lexicon.english import word_set
from ..lexicon.kin import RELATIVES
from ..lexicon.spelling import is_english, plain
from ..readers.trigger_words import is_generic
from .evidence.grounder import (
    IS,
    SMALL,
    Ground,
    Grounder,
)

MAX_WORDS = 3
"""The most words of a name that is offered; a longer phrase is no name."""
_DESCRIBING = SMALL | word_set("words", "describing")
_DESCRIBES = re.compile(r".{2,}(?:ing|ed|ful|less|ous|ish|able)")
_VERBS = word_set("words", "doing")
_NO_NAMES = FUNCTION | NEGATIONS | OPTICS | ORDINALS | PRAISE | TEMPORAL | _DESCRIBING | _VERBS
_LATIN = re.compile(r"[a-z0-9'\u00df-\u024f]*[a-z\u00df-\u024f][a-z0-9'\u00df-\u024f]*")


def offered_name(intent: Intent, grounder: Grounder, entry: CardView) -> str:
    """What a model that was picked by hand for a request could be called; "" for nothing.

    These are the words of the request's head that no card has as what it is, and the model's card
    has nowhere: "pickle" of "pickle on the sofa". Nothing is offered where the request calls the
    model by a name. Words before what the model is describe it ("grumpy bear"); words after it are
    a name where it is the user's own ("my bear pickle").
    """
    card, named = entry.position, _from_its_name_on(intent, entry.card)
    heads = [
        one.grounds
        for one in grounder.ground(segments_of(intent.mentions))
        if one.segment.part == "head" and not one.segment.look
    ]
    if any(_says(ground, card) and not _is_common(ground) for one in heads for ground in one):
        return ""
    for head in heads:
        said = [place for place, ground in enumerate(head) if _says(ground, card)]
        if said and not head[said[-1]].mention.possessive:
            continue
        grounds = head[said[-1] + 1 :] if said else head
        fitting = [_can_be_a_name(ground, card, named) for ground in grounds]
        name = _first_name(grounds, fitting, plain(intent.request))
        if 0 < len(name) <= MAX_WORDS:
            return " ".join("me" if word == MYSELF else word for word in name)
    return ""


def _from_its_name_on(intent: Intent, card: Card) -> str:
    """The request from the first trigger of the card on; "" where it names no model.

    A card that is put into a request appends its trigger: the words before it are the user's. All
    of the request, where it calls the model by another name or names another model.
    """
    spans = [span for trigger in card.triggers for span in mentions(intent.request, trigger)]
    start = min((start for start, _ in spans), default=0) if card.id in intent.names else 0
    return plain(intent.request)[start:] if intent.names else ""


def _says(ground: Ground, card: int) -> bool:
    """Whether a word says what the model is; words for styles and for kinds of models do not."""
    said = ground.strength[card] >= IS and not ground.generic
    return bool(said) and ground.mention.style is None


def _is_common(ground: Ground) -> bool:
    """Whether a word names a common thing ("bear"), and not this model alone."""
    return ground.mention.phrase in SUBJECTS


def _first_name(grounds: Sequence[Ground], fitting: Sequence[bool], request: str) -> list[str]:
    """The first run of fitting words of a noun phrase; none in another language than English."""
    words = [ground.mention.words for ground in grounds]
    if not FOREIGN.difference(FUNCTION).isdisjoint(words):
        return []
    name: list[str] = []
    for word, fits in zip(words, fitting, strict=True):
        if fits:
            name.append(word)
        if name and (not fits or f"{word}'s" in request):
            break
    return name


def _can_be_a_name(ground: Ground, card: int, named: str) -> bool:
    """Whether a word may be a name: it says nothing about any model, and is none of the words that
    describe, place or date a thing; or it is "wife", of "my wife". It must not stand in `named`,
    the request from a name on.
    """
    mention, word = ground.mention, ground.mention.words
    if mention.possessive and mention.phrase[-1] in RELATIVES:
        return ground.best < IS and word not in named
    if mention.kind != "word" or mention.is_scene or ground.generic or word in named:
        return False
    if ground.best >= IS or ground.strength[card] > 0 or is_generic(word):
        return False
    if not {word, *mention.phrase}.isdisjoint(_NO_NAMES) or not _LATIN.fullmatch(word):
        return False
    if _DESCRIBES.fullmatch(word) and is_english(word) and mention.phrase not in SUBJECTS:
        return False
    return all(mention.phrase not in table for table in (STYLES, PLACES, MOODS))
