"""Requests that mean several models: each noun phrase is decided as a request of its own.

"Moss and Nelson by the fire", "nan in her kitchen", "the vole in my ink wash style + the hand
fixer". Models of one request fit one base model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import pairwise

import numpy as np

from ...catalog.columns import Array
from ...lexicon.sentences import listed, say
from ...lexicon.spelling import is_english
from ..base_models.drawn_on import leading
from ..base_models.fitting import Part, fitting
from ..base_models.other_base import for_another_base
from ..candidates.called_whole import called_whole, word_for_word
from ..candidates.choice import MAX_TOGETHER
from ..candidates.described import described
from ..candidates.grounded import Grounded
from ..candidates.only_helps import only_helps
from ..candidates.small_words import as_its_place_says
from ..evidence.grounder import GENERIC
from ..evidence.likelihood import probability
from ..evidence.spelt import A_NAME
from ..verdict import Decided, Then, Verdict
from .build_of_part import (
    SaidOf,
    ordered_of,
    said_of,
    with_builds_of,
    with_downloads_of,
    without_builds,
)
from .merged import merged
from .noun_phrases import NounPhrase
from .part_by_part import part_by_part
from .part_features import NAMED, is_paired
from .stands import standing
from .stands_for import calls_a_helper

_MARGIN = 1.0
"""How far in log-odds another model of a phrase may be behind that gives a hint."""
_AS_WELL_AS = re.compile(r"\bas\s+well\s+as\b", re.IGNORECASE)
_LISTED = 4
"""How many things make a list that leaves room for their place."""
MAX_LISTED = 5
"""The most models that are used together where the request lists them."""
STANDS = -0.3
"""The log-odds from which on a noun phrase stands for a model: a lacking one is no less of an error
than one too many.
"""
RIVAL = 0.45
"""From this share of the likeliest model's likelihood on, another one makes a question."""
LEAST_RIVAL = 0.05
"""The least likelihood of a rival by its phrase alone."""
POSSIBLE = 0.3
"""The least likelihood of a model that another part may decide for."""


@dataclass
class Several:
    """What a request says of several models."""

    verdict: Verdict | None = None
    case: Grounded | None = None
    """The request as its parts are read, with the models that a question is about."""
    apart: tuple[int, ...] = ()
    """The likeliest card of each part, where none of them fit one base model."""


def decide_parts(case: Grounded, now: datetime) -> Several:
    """The models that the parts of a request mean, or a question about one of them.

    There is no verdict where the request has fewer than two parts, or no models of them fit one
    base model.
    """
    if len(case.segments) < 2 or case.intent.alternatives:
        return Several()
    whole, (gated, case) = case, for_parts(case)
    if (named := said_of(gated, case)) is None:
        return Several()
    named = with_downloads_of(whole, named)
    found = [one for one in merged(case, list(_parts(case, named.phrases))) if not one.role]
    drawn = [one for one in found if not only_helps(case, one.cards[0])]
    most = MAX_LISTED if _are_listed(case, drawn) else MAX_TOGETHER
    too_many = _looks_first(case, drawn)[most:]
    parts = [one for one in found if one not in too_many]
    if len(parts) < 2:
        return Several()
    narrowed = _with_named_builds(case, named, parts)
    several = _together(narrowed, parts, now) if narrowed else Several()
    left_out = [case.left.catalogue.cards[part.cards[0]].name for part in too_many]
    if not (several.verdict and left_out):
        return several
    return replace(several, verdict=_leaving_out(several.verdict, left_out, most))


def _looks_first(case: Grounded, parts: Sequence[Part]) -> list[Part]:
    """The parts with looks before things: what all is drawn in is told last, and meant for all."""
    return sorted(parts, key=lambda part: not _is_look(case, part))


def _is_look(case: Grounded, part: Part) -> bool:
    return part.look or part.styled or case.segments[part.place].segment.look


def _are_listed(case: Grounded, parts: Sequence[Part]) -> bool:
    """Whether all but looks follow one another before the scene: "Beth, Zosia, Adam and Poppy";
    at least four if models are also of the scene.
    """
    said = [(part, case.segments[part.place].segment) for part in parts]
    listed = [(part.place, segment) for part, segment in said if not (part.look or segment.look)]
    before = [place for place, segment in listed if segment.part != "scene"]
    follow = all(after - first == 1 for first, after in pairwise(before))
    return follow and (len(before) == len(listed) or len(before) >= _LISTED)


def _leaving_out(verdict: Verdict, names: Sequence[str], most: int) -> Verdict:
    """The verdict with a notice that models are left out, also after the answer to its question."""
    notice = say(
        "Left out: {names}. A request takes at most {most} models, and a base model that it names.",
        names=listed(names, "and"),
        most=most,
    )

    def after(then: Then, said: Verdict, at: Grounded) -> Decided:
        answered, left = then(said, at)
        return _leaving_out(answered, names, most), left

    then = verdict.then and partial(after, verdict.then)
    return replace(verdict, notices=(*verdict.notices, notice), then=then)


def for_parts(case: Grounded) -> tuple[Grounded, Grounded]:
    """(the request as one of its parts is asked for, the same without what it says of builds).

    Described models that are something else are candidates too. Left out are the kind of file and
    that a model was downloaded, which are said of one part: "on my mix checkpoint, with the
    lightning lora", "in that cape I downloaded".
    """
    case = undemanding(case)
    origin = None if case.intent.origin == "downloaded" else case.intent.origin
    of_one = case.intent.kind or origin != case.intent.origin
    gated = case.read_as(replace(case.intent, kind=None, origin=origin)) if of_one else case
    return gated, without_builds(gated)


def undemanding(case: Grounded) -> Grounded:
    """The request with described models that are something else among the candidates."""
    if case.demanding and described(case.library).any():
        return replace(case, demanding=False).read_as(case.intent)
    return case


def _together(case: Grounded, parts: list[Part], now: datetime) -> Several:
    """The models of all parts, if any of them fit one base model."""
    if found := fitting(case, parts):
        ordered = {part.cards[0]: part.order for part in parts if part.order}
        called = [_called(case, part) for part in parts]
        return Several(part_by_part(case, found, now, ordered, called), case)
    return Several(apart=tuple(part.cards[0] for part in parts))


def _with_named_builds(case: Grounded, named: SaidOf, parts: list[Part]) -> Grounded | None:
    """The request with only those builds that it says of a part; a part with a superlative becomes
    the one model that this means. None where there is no such build.
    """
    for place, part in enumerate(parts):
        if part.place in named.builds:
            case = with_builds_of(case, part.possible, named.builds[part.place].left.positions)
        if part.place == named.order:
            own = named.builds[part.place]
            meant = [*ordered_of(own, part.cards).positions]
            if not meant:
                return None
            case = with_builds_of(case, part.possible, np.array(meant))
            parts[place] = replace(part, cards=meant, possible=meant, order=own.intent.order)
    return case


def with_unused(case: Grounded, verdict: Verdict, parts: Sequence[int]) -> Verdict:
    """A selection with a notice for each of some models that it does not use: those of parts that
    fit no model of the others.
    """
    used = case.builds.lineages([view.position for view in verdict.views])
    unused = [
        case.left.at(np.array([one]))[0] for one in parts if not case.builds.lineages([one]) & used
    ]
    if not verdict.entry or len(unused) == len(parts):
        return verdict
    return replace(verdict, notices=(*verdict.notices, *map(for_another_base, unused)))


def _called(case: Grounded, part: Part) -> str:
    """The words of the request that are in the name of a part's models, in the user's language."""
    words = case.segments[part.place].grounds
    said = [one.mention.words for one in words if one.strength[part.cards[0]] >= A_NAME]
    return case.their(" ".join(said))


def _parts(case: Grounded, phrases: Sequence[NounPhrase]) -> Iterator[Part]:
    hints: list[set[int]] = []
    found: list[Part] = []
    for phrase, stand in standing(case, phrases):
        odds, cards = phrase.alone.odds, phrase.found.cards
        about = phrase.place == 0 and phrase.segment.segment.part == "head"
        chance = probability(odds).max()
        likely = chance >= case.model.least
        stands = chance >= case.model.least_further and (
            (stand >= STANDS and not _hardly_named(case, phrase))
            or calls_a_helper(case, phrase)
            or is_paired(case, phrase.segment.segment, cards)
        )
        if stands or (about and likely):
            found.append(_part(case, phrase))
        elif likely:
            near = phrase.order[odds.max() - odds[phrase.order] <= _MARGIN]
            hints.append(case.builds.lineages(cards[near].tolist()))
    for card, places in called_whole(case):
        same = [
            one for one in found if case.builds.lineages([card]) <= case.builds.lineages(one.cards)
        ]
        if any(one.place in places for one in same):
            continue  # "nan in her kitchen", of nans_kitchen
        found = [one for one in found if one.place not in places and one not in same]
        found.append(Part([card], [card], bool(case.left.columns.look[card]), place=min(places)))
    for card, place in word_for_word(case):
        if not any(case.builds.lineages([card]) & case.builds.lineages(one.cards) for one in found):
            found.append(Part([card], [card], bool(case.left.columns.look[card]), place=place))
    for part in sorted(found, key=lambda one: one.place):
        yield _decided_by(case, part, hints)


def _hardly_named(case: Grounded, phrase: NounPhrase) -> bool:
    """Whether a place or thing in the picture has one word of the name of its likeliest model, and
    another word follows than in the name: "glen coe", of glen_douglas.
    """
    card = int(phrase.found.cards[phrase.order[0]])
    name = [one for one in case.left.columns.called[card] if one not in GENERIC and one.isalpha()]
    said = {word for one in phrase.words for word in (*one.mention.phrase, *one.spelt)}
    met = [any(word.startswith(one) for word in said) for one in name]  # "buntstiftstil"
    if phrase.segment.segment.part != "scene" or case.left.columns.look[card]:
        return False
    return sum(met) == 1 and not met[-1] and not phrase.words[-1].strength[card]


def _part(case: Grounded, phrase: NounPhrase) -> Part:
    """The models that a noun phrase may stand for."""
    cards, looks, top = phrase.found.cards, phrase.looks, phrase.order[0]
    chance, shares, segment = probability(phrase.alone.odds), phrase.shares, phrase.segment.segment
    styled = looks[top] and (segment.look or segment.after_in)
    possible = [one for one in phrase.order if looks[one] or not styled]
    rivals = [
        one
        for one in possible
        if one == top or (shares[one] >= RIVAL * shares[top] and chance[one] >= LEAST_RIVAL)
    ]
    named = _of_the_name(phrase, cards)
    likely = [one for one in possible if one in rivals or chance[one] >= POSSIBLE or named[one]]
    before = leading(case.intent.mentions, segment.words[0])
    called = phrase.found.values[top, NAMED] > 0
    beside = _AS_WELL_AS.search(case.intent.request)
    is_role = before[-1:] and before[-1].words == "as" and not beside
    return Part(
        as_its_place_says(cards[rivals].tolist(), case.left.columns, before),
        cards[likely].tolist(),
        bool(looks[top]),
        bool(styled),
        phrase.place,
        role=bool(is_role) and not called and not looks[top],
    )


def _of_the_name(phrase: NounPhrase, cards: Array) -> Array:
    """Bool [candidates]: which have the name, no English word, that the likeliest has of the noun
    phrase: mt07_flux beside mt07_bike_xl, of "mt07 motorbike".
    """
    top = cards[phrase.order[0]]
    of_it = np.zeros(len(cards), bool)
    for one in phrase.words:
        if one.strength[top] >= A_NAME and not is_english(one.mention.words):
            of_it |= one.strength[cards] >= A_NAME
    return of_it


def _decided_by(case: Grounded, part: Part, hints: Sequence[set[int]]) -> Part:
    """A part, with the rivals that other words of the request say: "becca as a bride"."""
    lineages = case.builds.lineages(part.cards)
    for hint in hints:
        said = [card for card in part.possible if case.builds.lineages([card]) & hint]
        if said and not lineages & hint:
            return replace(part, cards=said)
    return part
