"""Triggers in a request in another language: its gloss tells which word names the subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..catalog.cards import Card
from .called import Called, Names, words_at
from .gloss import Gloss
from .origins import Span
from .rewrite import named_at, rewrite
from .trigger_prompt import mentions


def rewrite_glossed(request: str, gloss: Gloss, cards: Sequence[Card], names: Names) -> str:
    """The request with the trigger of each card for the words that call it (`names`, in English) or
    name its subject.

    Otherwise as `rewrite`: the request stays in its language, and a trigger whose subject is not
    named stands first.
    """
    places = {card.id: _place(request, gloss, card, names.get(card.id)) for card in cards}
    first = [card for card in reversed(cards) if places[card.id] is None]
    there = [card for card in cards if places[card.id] is not None]
    for card in sorted(there, key=lambda one: places[one.id] or (0, 0), reverse=True):
        if span := places[card.id]:
            request = named_at(request, card, span).text
    for card in first:
        request = rewrite(request, card).text
    return request


def _place(request: str, gloss: Gloss, card: Card, called: Called | None) -> Span | None:
    """Where the request names the card or its subject in words of its language."""
    if not card.trigger or mentions(request, card.trigger):
        return None
    for span in words_at(gloss.text, called):
        if there := gloss.said(*span):
            return there
    if rewrite(request, card).replaced:
        return None
    phrases = rewrite(gloss.text, card).replaced or (card.trigger.strip("<>"),)
    found = re.search(rf"(?<!\w){re.escape(phrases[0])}(?!\w)", gloss.text, re.IGNORECASE)
    return gloss.said(*found.span()) if found else None
