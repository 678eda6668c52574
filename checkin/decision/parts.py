"""Requests that mean several models: each noun phrase is decided as a request of its own.

"Moss and Nelson by the fire", "nan in her kitchen", "the vole in my ink wash style + the hand
fixer". Models of one request fit one base model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np

from ..catalog.columns import Array
from ..language.intent import Intent, Term
from ..lexicon.base_models import spoken
from ..lexicon.sentences import say
from .called_whole import called_whole
from .choice import MAX_TOGETHER
from .evidence import Ground, GroundedSegment
from .features import candidates
from .grounded import Grounded
from .likelihood import probability
from .selected import selected
from .stands import A_NAME, NAMED, WHOLE, kinds_of, stands_for
from .verdict import Verdict
from .which import question_among

_A_LOOK = 0.8
"""From this strength on, a word after "in" or "as" may name a style."""
_MARGIN = 1.0
"""How far in log-odds a rival for the same part may be behind."""
_POSSIBLE = 0.3
"""The least likelihood of a model that another part may decide for."""

Fitting = tuple[tuple[int, ...], tuple[int, ...]]
"""A card for each part, and their builds that fit one base model."""


@dataclass
class Part:
    """A noun phrase that stands for a model."""

    cards: list[int]
    """The best build of each lineage that it may mean, the likeliest first."""
    possible: list[int]
    """Those, and further ones that are less likely."""
    look: bool = False
    """Whether it is a look."""
    styled: bool = False
    """Whether the request says that the others are to be drawn in it."""
    place: int = 0
    """Which of the noun phrases it is."""


@dataclass
class Several:
    """What a request says of several models."""

    verdict: Verdict | None = None
    apart: tuple[int, ...] = ()
    """The likeliest card of each part, where none of them fit one base model."""


def decide_parts(case: Grounded, now: datetime) -> Several:
    """The models that the parts of a request mean, or a question about one of them.

    There is no verdict where the request has fewer than two parts, or no models of them fit one
    base model.
    """
    intent = case.intent
    if intent.order or intent.names or any(one.words == "or" for one in intent.mentions):
        return Several()
    if case.meets.any():  # other parts may mean described models too
        case = Grounded.of(intent, case.library, case.grounder, model=case.model, demanding=False)
    if intent.kind:  # "on my mix checkpoint, with the lightning lora" says it of one part
        ungated = replace(intent, kind=None)
        case = Grounded.of(ungated, case.library, case.grounder, model=case.model)
    parts = _merged(case, list(_parts(case)))[:MAX_TOGETHER]
    if len(parts) < 2:
        return Several()
    for these in (parts, *_widened(parts)):
        if fitting := list(_fitting(case, these)):
            return Several(_among(case, fitting, now))
    return Several(apart=tuple(part.cards[0] for part in parts))


def with_unused(case: Grounded, verdict: Verdict, parts: Sequence[int]) -> Verdict:
    """A selection with a notice for each of some models that it does not use: those of parts that
    fit no model of the others.
    """
    used = _set(case, [view.position for view in (verdict.entry, *verdict.further) if view])
    unused = [case.left.at(np.array([one]))[0] for one in parts if not _set(case, [one]) & used]
    if not verdict.entry or len(unused) == len(parts):
        return verdict
    said = tuple(
        say(
            "{name} is not used: it is for {base}.",
            name=one.card.name,
            base=spoken(one.card.base_model),
        )
        for one in unused
    )
    return replace(verdict, notices=(*verdict.notices, *said))


def _among(case: Grounded, fitting: Sequence[Fitting], now: datetime) -> Verdict:
    """The likeliest of the models that fit together, or a question about the first part that may
    mean several.
    """
    for place in range(len(fitting[0][0])):
        rivals = list(dict.fromkeys(cards[place] for cards, _ in fitting))
        if len(rivals) > 1:
            builds = [case.chooser.best_build(case.chooser.builds(card)) for card in rivals]
            question = question_among(case, builds, now)
            return replace(question, then=partial(_after, case, fitting, place, now))
    return selected(case, fitting[0][1], now)


def _after(
    case: Grounded,
    fitting: Sequence[Fitting],
    place: int,
    now: datetime,
    said: Verdict,
    at: Grounded,
) -> tuple[Verdict, Grounded]:
    """The verdict on all parts, after that on an answer about one of them."""
    meant = _set(case, [said.entry.position]) if said.entry else set()
    left = [one for one in fitting if _set(case, [one[0][place]]) & meant]
    return (_among(case, left, now), case) if left else (said, at)


def _parts(case: Grounded) -> Iterator[Part]:
    hints: list[set[int]] = []
    found: list[Part] = []
    for place, segment in enumerate(case.segments):
        words = [one for one in segment.grounds if not one.generic or one.mention.style]
        least = _A_LOOK if segment.segment.after_in else A_NAME
        if not segment.segment.look and max((one.best for one in words), default=0.0) < least:
            continue
        alone = _alone(case, segment)
        if alone.found is None:
            continue
        chance = probability(alone.odds)
        cards = alone.found.cards
        looks = alone.left.columns.look.where(bool)[cards]
        order = np.argsort(-alone.odds, kind="stable")
        if segment.segment.look and looks.any():  # "drawn by evie" means her drawings, not her
            order = order[looks[order]]
        top = int(order[0])
        near = [one for one in order if alone.odds[top] - alone.odds[one] <= _MARGIN]
        if stands_for(case, alone, segment, words, top):
            named = alone.found.values[:, NAMED]
            styled = looks[top] and (segment.segment.look or segment.segment.after_in)
            owned = _owned(words)
            rivals = [
                one
                for one in near
                if chance[one] >= case.model.least_rival
                and (named[top] < WHOLE or named[one] >= WHOLE)
                and (not owned or _meets(owned, cards[one]) or not _meets(owned, cards[top]))
                and (looks[one] or not styled)
            ]
            possible = [
                one for one in order if chance[one] >= _POSSIBLE and (looks[one] or not styled)
            ]
            found.append(
                Part(
                    cards[rivals].tolist(),
                    cards[possible].tolist(),
                    bool(looks[top]),
                    bool(styled),
                    place,
                )
            )
        elif chance[top] >= case.model.least:
            hints.append(_set(case, alone.found.cards[near].tolist()))
    for card, places in called_whole(case):
        if any(_set(case, [card]) <= _set(case, one.cards) for one in found):
            continue  # "nan in her kitchen", of nans_kitchen
        found = [one for one in found if one.place not in places]  # a model of all of them
        found.append(Part([card], [card], bool(case.left.columns.look[card]), place=min(places)))
    for part in sorted(found, key=lambda one: one.place):
        yield _decided_by(case, part, hints)


def _owned(words: Sequence[Ground]) -> list[Ground]:
    """The words of a thing that belongs to somebody: "drag bike" of "wozza's drag bike"."""
    owners = [place for place, one in enumerate(words) if one.mention.owner]
    return list(words[owners[-1] + 1 :]) if owners else []


def _meets(words: Sequence[Ground], card: int) -> bool:
    return any(one.strength[card] > 0 for one in words)


def _alone(case: Grounded, segment: GroundedSegment) -> Grounded:
    """One segment as a request of its own."""
    look = segment.segment.look
    alone = segment if look else replace(segment, segment=replace(segment.segment, part="head"))
    intent = _intent_of(case.intent, segment)
    found = candidates([alone], case.left, intent, case.grounder)
    return replace(case, intent=intent, segments=(alone,), found=found)


def _intent_of(intent: Intent, segment: GroundedSegment) -> Intent:
    """What an intent says of one segment."""
    words = {word for one in segment.segment.words for word in one.words.split()}
    subject = intent.subject
    own = [one for one in segment.segment.words if kinds_of(one)]
    if own and not segment.segment.look:  # of "a bear and a dog", the subject is both
        subject = Term(own[-1].words, own[-1].subject)
    return replace(
        intent,
        subject=subject if subject and words & {*subject.words.split()} else None,
        styles=tuple(one for one in intent.styles if words & {*one.words.split()}),
        others=(),
        preferred=(),
        names=(),
        missing=None,
        kind=None,
    )


def _decided_by(case: Grounded, part: Part, hints: Sequence[set[int]]) -> Part:
    """A part, with the rivals that other words of the request say: "becca as a bride"."""
    lineages = _set(case, part.cards)
    for hint in hints:
        said = [card for card in part.possible if _set(case, [card]) & hint]
        if said and not lineages & hint:
            return replace(part, cards=said)
    return part


def _merged(case: Grounded, parts: Sequence[Part]) -> list[Part]:
    """The parts, those that may mean the same model made one."""
    merged: list[Part] = []
    for part in parts:
        for place, other in enumerate(merged):
            common = _set(case, other.cards) & _set(case, part.cards)
            if common:
                both = [card for card in other.cards if _set(case, [card]) & common]
                merged[place] = replace(other, cards=both)
                break
        else:
            merged.append(part)
    return merged


def _widened(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts with less likely models, where the likeliest are for other base models: looks that
    the rest is drawn in first, then what is drawn.
    """
    styled = [replace(part, cards=part.possible) if part.styled else part for part in parts]
    yield styled
    yield [part if part.look else replace(part, cards=part.possible) for part in styled]


def _fitting(case: Grounded, parts: Sequence[Part]) -> Iterator[Fitting]:
    """(a card for each part, their builds that fit one base model), the likeliest first."""
    chooser = case.chooser
    for cards in itertools.product(*(part.cards for part in parts)):
        if len(_set(case, cards)) == len(cards):
            builds = chooser.together([chooser.by_base(chooser.builds(card)) for card in cards])
            if builds:
                yield cards, builds


def _set(case: Grounded, cards: Sequence[int]) -> set[int]:
    return {*_lineages(case, cards).tolist()}


def _lineages(case: Grounded, cards: Sequence[int]) -> Array:
    return case.left.columns.lineage[np.array(cards, np.int64)]
