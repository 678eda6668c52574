"""How many clicks in Check-in's node lead from its first decision to the right models.

A click answers a question, adds a model that is offered, switches one off, takes another in its
place, or takes one of those that are near where nothing fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...checkin import Card, Decision, check_in
from ...checkin.catalog.pinned import PinnedModel
from ...checkin.catalog.reference import Reference
from .library import Request
from .open_library import OpenLibrary

MOST = 2


@dataclass(frozen=True)
class _Said:
    """What the person has clicked so far."""

    answers: tuple[str, ...] = ()
    chosen: tuple[PinnedModel, ...] = ()


def clicks(request: Request, at: OpenLibrary) -> int | None:
    """The fewest clicks, at most MOST, of a person who means one of the selections that are
    accepted; None where no such clicks are offered.
    """
    original = at.library.original
    wanted = [
        frozenset(map(original, one.models)) for one in request.accepted if one.outcome == "select"
    ]
    after = [_Said()]
    for count in range(MOST + 1):
        decisions = [(one, _decided(request, at, one)) for one in after]
        if any(_models(at, decision.cards) in wanted for _, decision in decisions):
            return count
        after = [
            more
            for said, decision in decisions
            for meant in wanted
            for more in _clicked(at, said, decision, meant)
        ]
    return None


def _decided(request: Request, at: OpenLibrary, said: _Said) -> Decision:
    return check_in(
        request.text,
        at.repository,
        now=at.library.now,
        context=at.context,
        answers=said.answers,
        chosen=said.chosen,
    )


def _clicked(
    at: OpenLibrary, said: _Said, decision: Decision, meant: frozenset[str]
) -> Iterator[_Said]:
    """What was said after one more click that leads nearer to the models that are `meant`."""
    if decision.question:
        for choice in decision.question.choices:
            if meant.intersection(at.library.original(at.paths[one]) for one in choice.card_ids):
                yield replace(said, answers=(*said.answers, choice.label))
        return

    def is_meant(card: Card) -> bool:
        return bool(_models(at, [card]) & meant)

    used = [one for one in decision.models if one.card and one.on]
    cards = [one.card for one in used if one.card]
    lacks = not meant <= _models(at, cards)
    for addition in decision.additions:
        if lacks and is_meant(addition.card):
            yield _of([*cards, addition.card])
    for place, one in enumerate(used):
        if is_meant(cards[place]):
            continue
        before, after = cards[:place], cards[place + 1 :]
        if before or after:
            yield _of([*before, *after])
        yield from (_of([*before, other, *after]) for other in one.others if is_meant(other))
    yield from (_of([miss.card]) for miss in decision.near if is_meant(miss.card))


def _of(cards: Sequence[Card]) -> _Said:
    return _Said(chosen=tuple(PinnedModel(Reference.of(card)) for card in cards))


def _models(at: OpenLibrary, cards: Sequence[Card]) -> frozenset[str]:
    return frozenset(at.library.original(at.paths[card.id]) for card in cards)
