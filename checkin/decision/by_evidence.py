"""Decides by evidence: models, a question, or that nothing fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ..catalog.columns import Array
from ..language.gates import PLACE_PREPOSITIONS
from ..language.phrases import Mention
from ..language.readings import other_readings
from ..lexicon import PLACES, SUBJECTS, with_hypernyms
from ..lexicon.sentences import listed, say
from ..lexicon.spelling import stems
from .base_models.drawn_on import drawn_on, leading
from .base_models.on_checkpoint import checkpoint_alone, on_checkpoint
from .base_models.other_base import named_but_for_another_base
from .candidates.choice import Choice
from .candidates.grounded import Grounded
from .candidates.in_the_scene import in_the_scene
from .candidates.named_style import with_named_style
from .candidates.namesakes import namesakes, of_one_bearer
from .candidates.of_today import of_today
from .candidates.relation import oneself, related
from .candidates.style_of_another import without_styles_of_others
from .declined import declined
from .evidence.grounder import IS, GroundedSegment
from .evidence.spelt import A_NAME
from .notices import made_for
from .questions.bounded import decide_bounded
from .questions.named_times import decide_named_times
from .questions.which import (
    in_order,
    question_about,
    question_about_builds,
    question_among,
)
from .selected import selected
from .several.divided import decide_divided
from .several.parts import Several, decide_parts, with_unused
from .used_last import used_last
from .verdict import Decided, Rank, Verdict

_FEW = 3
_MOST_PEOPLE = 4
"""The most people between whom it is asked."""


def decide(
    case: Grounded, now: datetime, rank: Rank | None = None, what_fits: bool = False
) -> Decided:
    """Choose among the cards that are left: models, a question, or that nothing fits.

    Returned with the request as it was read. `rank` puts choices of a question in order that are as
    likely as one another. Of several models that are asked for and are not all here, those are
    taken that fit, if the user wants `what_fits`.
    """
    divided = decide_divided(case, lambda one: _as_a_whole(one, now, rank), what_fits)
    verdict, left = divided or _as_a_whole(case, now, rank)
    if named := named_but_for_another_base(case, verdict):
        verdict, left = _as_a_whole(case.read_as(replace(case.intent, names=named)), now, rank)
    return on_checkpoint(case, checkpoint_alone(case, verdict, now), now), left


def _as_a_whole(case: Grounded, now: datetime, rank: Rank | None) -> Decided:
    """The verdict; where nothing fits, the other readings of the request are tried."""
    verdict, left = decide_named_times(case, now, lambda one: _within_bounds(one, now, rank))
    if verdict.declines:
        for intent in other_readings(case.intent, now):
            second, other = _within_bounds(case.read_as(intent), now, rank)
            if not (second.declines or _is_refused(case, second)):
                return second, other
    return verdict, left


def _is_refused(case: Grounded, verdict: Verdict) -> bool:
    """Whether a model that is selected is, or is called, what the request does not want.

    What it only shows may be spoken of the picture: "white roses instead of the pink ones".
    """
    columns, chosen = case.library.columns, [view.position for view in verdict.views]
    return any(
        columns.subjects.any_of(term.keys)[chosen].any()
        or columns.styles.any_of(term.keys)[chosen].any()
        or any(case.grounder.strength_of(one)[chosen].max() >= A_NAME for one in stems(term.words))
        for term in (case.intent.unwanted if chosen else ())
    )


def _within_bounds(case: Grounded, now: datetime, rank: Rank | None) -> Decided:
    if case.intent.bounds:
        return decide_bounded(case, now, lambda one: _decided(one, now, rank))
    return _decided(case, now, rank)


def _decided(case: Grounded, now: datetime, rank: Rank | None) -> Decided:
    """The verdict, and the case with the models that a question of it is about."""
    if not case.left:  # no model passes all gates, which may be said of several
        several = Several() if case.intent.used else decide_parts(case, now)
        return several.verdict or declined(case, now), several.case or case
    if case.intent.used:
        return used_last(case), case
    if case.unclear:
        return question_about(case, case.left, now), case
    if not case.telling:
        return by_gates(case, now), case
    several = decide_parts(case, now)
    if several.verdict and several.case:
        return several.verdict, several.case
    one = _of_one_part(case, now, rank)
    if one.entry and (subjects := _subjects_of(case, several.apart)):
        builds = [case.builds.best_of(subject) for subject in subjects]
        if len(builds) > 1:
            return _apart(case, builds, now), case
        one = selected(case, builds, now)
    return with_unused(case, one, several.apart), case


def _apart(case: Grounded, builds: Sequence[int], now: datetime) -> Verdict:
    """The question which of several models is drawn that fit no base model together."""
    bases = [made_for(view.card) for view in case.left.at(np.array(builds))]
    why = say("These models do not fit together: {models}.", models=listed(bases, "and"))
    asked = question_among(case, builds, now)
    return replace(asked, why=why, notices=(*asked.notices, why))


def _subjects_of(case: Grounded, apart: Sequence[int]) -> list[int]:
    """Those of the parts that fit no base model together which are no styles.

    Parts are also of models that the request as a whole leaves out; those are none of it.
    """
    left = case.left.where(~case.left.columns.look.where(bool)).positions
    return [one for one in apart if one in left]


def _of_one_part(case: Grounded, now: datetime, rank: Rank | None) -> Verdict:
    chosen = case.chooser.choose(case.found, case.odds)
    if chosen.why:
        return Verdict(chosen.why)
    if chosen.outcome == "no_match":
        if _by_time(case):
            return by_gates(replace(case, left=case.left.where(~_of_others(case))), now)
        if _points(case):
            return by_gates(case, now)
        if named := oneself(case) or in_the_scene(case):
            return _among(case, of_today(case, named), now, rank)
        people = related(case)  # a single one may be anybody: it is offered as what is near
        few = 1 < len(people) <= _MOST_PEOPLE
        return _among(case, people if few else drawn_on(case), now, rank)
    if chosen.outcome == "clarify":
        return _among(case, of_today(case, chosen.positions), now, rank)
    if not (meant := without_styles_of_others(case, chosen.positions)):
        return declined(case, now)
    if len(meant) == 1:
        return _of_one(case, replace(chosen, positions=meant), now)
    return selected(case, meant, now)


def _of_one(case: Grounded, chosen: Choice, now: datetime) -> Verdict:
    """The one model that is chosen, or a question about its builds or its namesakes."""
    card = chosen.positions[0]
    if builds := question_about_builds(case, card, now):
        return builds
    if others := namesakes(case, card) or of_one_bearer(case, card):
        return question_among(case, (card, *others), now)
    return selected(case, with_named_style(case, card), now, chosen.row)


def _among(case: Grounded, cards: Sequence[int], now: datetime, rank: Rank | None) -> Verdict:
    if len(cards) > 1:
        return question_among(case, in_order(case, cards, rank), now)
    return selected(case, tuple(cards), now) if cards else declined(case, now)


def _by_time(case: Grounded) -> bool:
    """Whether the user says when they trained the model, and what it is of in unknown words."""
    known = max((ground.best for ground in case.head_grounds), default=0.0)
    dated = any(not one.negated for one in case.intent.times)
    own = case.intent.origin == "trained" or known > 0 or case.of_people
    return dated and own and known < IS and len(case.left.lineages()) <= _FEW


def _of_others(case: Grounded) -> Array:
    """Bool [all cards]: the models of another thing or place than what the request is about."""
    columns = case.left.columns
    heads = [
        one.segment.words[-1].phrase
        for one in case.segments
        if one.segment.part == "head" and not (case.intent.points and _is_in(case, one))
    ]
    known = {phrase for phrase in heads if phrase in SUBJECTS or phrase in PLACES}
    kinds = {kind[-1] for phrase in known for kind in {phrase, *with_hypernyms(phrase)}}
    of_one = columns.display_subjects.where(bool) & bool(known)
    return of_one & ~columns.kinds.any_of(kinds)


def _is_in(case: Grounded, part: GroundedSegment) -> bool:
    """Whether a preposition of place leads to it: "the one from May in a basket"."""
    small = leading(case.intent.mentions, part.segment.words[0])
    return not PLACE_PREPOSITIONS.isdisjoint(one.words for one in small)


def _points(case: Grounded) -> bool:
    """Whether it points at a model by gates, and all else, of which no model has a word, is a place
    in a clause of its own: "the one from May, in a sunny field".

    Behind "my newest lora" it is what to draw with it.
    """
    intent = case.intent
    said = any(one.kind == "time" for one in case.asked) or intent.order or intent.origin
    heads = [one for one in case.segments if one.segment.part != "scene"]
    known = max((ground.best for ground in case.head_grounds), default=0.0)
    if intent.first:
        return known < IS and not (intent.subject or intent.styles)
    places = all(_is_place(intent.mentions, one.segment.words[0]) for one in heads)
    return not known and intent.points and bool(said) and places


def _is_place(mentions: Sequence[Mention], first: Mention) -> bool:
    """Whether a preposition of place, after punctuation, leads to the `first` word of a phrase."""
    small = leading(mentions, first)
    places = {one.words for one in small} & PLACE_PREPOSITIONS
    return bool(places) and any(one.after_punctuation for one in small)


def by_gates(case: Grounded, now: datetime) -> Verdict:
    """Choose where no word says what the model is of: by the gates alone."""
    intent, left, columns = case.intent, case.left, case.left.columns
    if not (case.asked or intent.order or intent.origin or intent.unwanted):
        return Verdict(say("The request names no model."))
    positions = left.positions
    positions = _prefer(positions, columns.state_code[positions] < 2)
    positions = positions[~case.builds.saves(positions)]
    if intent.origin == "trained":
        mine = columns.trained[positions]
        positions = positions[mine] if mine.any() else positions[~columns.downloaded[positions]]
    if case.looks:
        positions = _prefer(positions, columns.look.where(bool)[positions])
    for ground in case.head_grounds:
        positions = _prefer(positions, ground.strength[positions] >= 0.3)
    if not len(positions):
        return declined(case, now)
    if intent.order:
        chosen = case.chooser.ordered(positions)
        return (
            Verdict(chosen.why) if chosen.why else selected(case, chosen.positions, now, chosen.row)
        )
    lineages = left.at(positions).lineages()
    if len(lineages) == 1:
        return selected(case, (case.builds.best(positions),), now)
    builds = [case.builds.best(one.positions) for one in lineages.members()]
    newest = sorted(builds, key=lambda one: -columns.order[one])
    return question_among(case, newest, now)


def _prefer(positions: Array, fits: Array) -> Array:
    return positions[fits] if fits.any() else positions
