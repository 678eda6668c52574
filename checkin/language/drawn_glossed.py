"""What is drawn of a request in another language.

Its gloss tells which words only choose, and which name a subject.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from ..catalog.cards import Card
from ..lexicon.languages import Profile
from ..lexicon.spelling import plain
from .called import Called, Names, called_at, words_at
from .choosing import choosing_spans
from .drawn import STOPS, Drawn, says_nothing, tidied, without_words
from .gloss import Gloss
from .intent import Intent
from .origins import Span
from .rewrite import named_at, rewrite
from .trigger_prompt import mentions

_CLAUSE = re.compile(rf"[^{STOPS}\n]+")
_SAID = re.compile(r"(?:[^\W\d_]|['\u2019\s-])+")
"""Words without a number, bracket or weight."""


def drawn_glossed(
    request: str, intent: Intent, cards: Sequence[Card], names: Names, *, whole: bool
) -> Drawn:
    """The request with the trigger of each card for the words that call it (`names`, in English) or
    name its subject; without the words that only choose, unless it is `whole`.

    The rest stays in its language, and a trigger whose subject is not named stands first.
    """
    gloss = intent.gloss
    assert gloss
    chosen = [] if whole else choosing_spans(gloss.text, intent, cards, names)
    if chosen and says_nothing(gloss.without(chosen)):
        found = without_words(request, cards)
    else:
        cut = [] if whole else _left_out(gloss, chosen, intent.language)
        found = Drawn.of(request, tidied(request, cut))
    places = {card.id: _place(found, intent, card, names.get(card.id)) for card in cards}
    first = [card for card in reversed(cards) if places[card.id] is None]
    there = [card for card in cards if places[card.id] is not None]
    for card in sorted(there, key=lambda one: places[one.id] or (0, 0), reverse=True):
        if span := places[card.id]:
            found = found.after(named_at(found.text, card, span))
    for card in first:
        found = found.after(rewrite(found.text, card))
    return found


def _left_out(gloss: Gloss, chosen: Sequence[Span], language: Profile) -> list[Span]:
    """Where the words stand that only choose, and those without English that lead to others
    ("zeig mir"), stand alone before or behind them (", bitte") or between two of them, or only say
    please.

    Where no spaces part words, what follows a word that is left out belongs to it ("\u7684").
    """
    gone = gloss.words(chosen)
    spans = [one[:2] for one in gloss.spans if gloss.text[one[0]].isalnum()]
    said = sorted(set(gloss.words(spans)))
    kept = [one for one in said if one not in gone]
    cut = list(gone)
    for clause in _CLAUSE.finditer(gloss.request):
        start, end = clause.span()
        if not language.spaced:
            cut += [(last, _next(said, last, end)) for _, last in gone if start < last <= end]
        here = [one for one in kept if start <= one[0] < end]
        if not here:
            outside = not kept or end <= kept[0][0] or start >= kept[-1][1]
            cut += [clause.span()] if outside and _SAID.fullmatch(clause[0]) else []
            continue
        if not gloss.request[:start].strip() and _SAID.fullmatch(gloss.request, start, here[0][0]):
            cut.append((start, here[0][0]))
        words = [one for one in said if start <= one[0] < end]
        cut += [
            (one[1], other[0])
            for one, other in itertools.pairwise(words)
            if one in gone and other in gone
        ]
        if language.please:
            cut += [
                match.span() for match in language.please.finditer(plain(gloss.request), start, end)
            ]
    return [one for one in cut if one[0] < one[1]]


def _next(words: Sequence[Span], start: int, end: int) -> int:
    """Where the next word begins."""
    return min((one[0] for one in words if start <= one[0] < end), default=end)


def _place(found: Drawn, intent: Intent, card: Card, called: Called | None) -> Span | None:
    """Where the prompt names the card or its subject in words of the request's language."""
    gloss = intent.gloss
    if not gloss or not card.trigger or mentions(found.text, card.trigger):
        return None
    for span in (*words_at(gloss.text, called), *called_at(gloss.text, intent, card)):
        if (said := gloss.said(*span)) and (there := found.place(said)):
            return there
    if rewrite(found.text, card).replaced:
        return None
    phrases = rewrite(gloss.text, card).replaced or (card.trigger.strip("<>"),)
    named = re.search(rf"(?<!\w){re.escape(phrases[0])}(?!\w)", gloss.text, re.IGNORECASE)
    said = gloss.said(*named.span()) if named else None
    return found.place(said) if said else None
