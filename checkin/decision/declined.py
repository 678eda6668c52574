"""What to say and to offer where nothing fits a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ..catalog.said_version import version_in_words
from ..catalog.selection import CardSelection, CardView
from ..catalog.subject_key import kind_keys
from ..language.gates import Builds
from ..language.intent import Intent
from ..lexicon.base_models import spoken
from ..lexicon.model_kinds import OTHER_KINDS
from ..lexicon.sentences import listed, phrase, say
from ..lexicon.spelling import stems
from .candidates.described import described
from .candidates.grounded import Grounded
from .candidates.likely import SLIGHT
from .candidates.relation import related
from .decision import NearMiss
from .evidence.grounder import IS, SMALL
from .evidence.likelihood import probability
from .gates.constraints import Constraint, demands_of
from .questions.labels import day, subject_of
from .reasons import met_words
from .verdict import Verdict

_NEAR = 3
"""How many models are offered."""
_MOST_MET = 2
"""Of how many words it is said where a near model has them."""
_MAX_SUBJECTS = 8
"""How many subjects of the library are named."""


def declined(case: Grounded, now: datetime) -> Verdict:
    """Say that nothing fits, and name the nearest models with what each lacks."""
    open_case = Grounded.of(
        _ungated(case.intent), case.library, case.grounder, model=case.model, demanding=False
    )
    near = _nearest(case, open_case)
    chance = probability(open_case.odds).max(initial=0.0)
    if near and chance >= case.model.least:
        model = case.intent.connected
        if model and near[0].card.kind == "checkpoint":
            return Verdict(model.refusal(near[0].card), near=near)
        if _demanded(case) or near[0].misfits(model):
            why = f"{_gated_away(case, near, now)} {_of_others(case, near)}".strip()
            return Verdict(why, near=near)
    people = [CardView(case.library.catalogue, one).card for one in related(case)]
    others = [one for one in near if one.card not in people]
    may_be_meant = bool(near) and _may_be_meant(case, near[0])
    near = (*(NearMiss(one, case.what, unsaid=True) for one in people), *others)[:_NEAR]
    why = _nothing(case, len(near) if may_be_meant else 0)
    if any(OTHER_KINDS & {*word.phrase} for word in case.intent.mentions):
        why += " " + say("Check-in finds checkpoints and LoRAs, no files of other kinds.")
    if near:
        return Verdict(why, near=near)
    case = replace(case, library=_applicable(case))
    return Verdict(f"{why} {_offer(case.library)}".strip(), near=_akin(case))


def _demanded(case: Grounded) -> list[Constraint]:
    """The gates besides that of a connected model, which sentences name apart."""
    return [gate for gate in case.gates if gate.kind != "connected"]


def _of_others(case: Grounded, near: Sequence[NearMiss]) -> str:
    """The near models that are for another model than the one that is connected."""
    cards = [one.card for one in near if one.misfits(case.intent.connected)]
    names = [f"{one.name} ({spoken(one.base_model)})" for one in cards]
    return say("For another model: {models}.", models=listed(names, "and")) if names else ""


def _nothing(case: Grounded, may_be_meant: int) -> str:
    """That nothing fits, or is not sure to: whether one of so many models may be meant."""
    if may_be_meant == 1:
        return say("Is this the '{what}' that you mean?", what=case.what)
    if may_be_meant:
        return say("Is one of these the '{what}' that you mean?", what=case.what)
    wanted = case.what or listed([gate.words for gate in case.asked], "and")
    refused = listed([case.their(term.words) for term in case.intent.unwanted])
    if wanted and refused:
        return say("There is no '{what}' without '{refused}' here.", what=wanted, refused=refused)
    return say("There is no '{what}' here.", what=wanted) if wanted else say("Nothing here fits.")


def _applicable(case: Grounded) -> CardSelection:
    """The library; with a connected model, the LoRAs that fit it."""
    return _gated(case, [gate for gate in case.gates if gate.kind == "connected"])


def _gated(case: Grounded, gates: Sequence[Constraint]) -> CardSelection:
    """What some gates leave of the library."""
    library = case.library
    for gate in gates:
        library = gate.keeps(library)
    return library


def _nearest(case: Grounded, open_case: Grounded) -> tuple[NearMiss, ...]:
    """The likeliest models of `open_case`, each with the demands of the request that it fails."""
    if open_case.found is None:
        return ()
    chance = probability(open_case.odds)
    best = np.argsort(-open_case.odds, kind="stable")[:_NEAR]
    entries = [
        _newest(open_case, int(open_case.found.cards[one])) for one in best if chance[one] >= SLIGHT
    ]
    return tuple(
        NearMiss(one.card, *_lacks(case, open_case, one), _met(open_case, one.position))
        for one in entries
    )


def _met(case: Grounded, card: int) -> str:
    """Where a model has the words of a request that say most of it."""
    grounds = [ground for one in case.segments for ground in one.grounds if not ground.generic]
    most = sorted(grounds, key=lambda one: -one.rarity * float(one.strength[card]))[:_MOST_MET]
    return met_words(case, sorted(most, key=lambda one: one.mention.first), card)


def _lacks(case: Grounded, open_case: Grounded, entry: CardView) -> tuple[str, bool]:
    """What a model lacks, and whether those are words that it does not have."""
    alone = case.library.at(np.array([entry.position]))
    demands = demands_of(case.intent) if described(alone)[entry.position] else ()
    failed = [one.words for one in (*case.gates, *demands) if not one.keeps(alone)]
    styles = open_case.chooser.lacking_styles(entry.position)
    lacking = listed(failed, "and") or " ".join(map(case.their, styles))
    if lacking:
        return lacking, False
    heads = open_case.about
    without = [one.mention.words for one in heads if not one.strength[entry.position]]
    lacks_all = len(without) == len(heads)
    return (case.what if lacks_all else listed([case.their(one) for one in without], "and")), True


def _may_be_meant(case: Grounded, near: NearMiss) -> bool:
    """Whether a near model is what a word says that the request is about."""
    position = case.library.catalogue.position_of[near.card.id]
    said = [one for one in case.about if not one.generic and one.mention.words not in SMALL]
    return any(one.strength[position] >= IS for one in said)


def _gated_away(case: Grounded, near: Sequence[NearMiss], now: datetime) -> str:
    asked = any(gate.kind in ("version", "build") for gate in case.gates)
    places = [case.library.catalogue.position_of[one.card.id] for one in near]
    about = [one for one in case.about if one.strength[places[0]] > 0]
    alike = [place for place in places if all(one.strength[place] > 0 for one in about)]
    newest = case.library.at(np.array(alike)).newest_first()[0]
    made = day(newest, now)
    if asked and (version := version_in_words(newest.card)):
        made = say("{items}, {next}", items=made, next=version)
    model = case.intent.connected
    what = case.written(about)
    gates = _demanded(case)
    wanted = [*(one.words for one in gates if not one.negated), what]
    demands = phrase(list(filter(None, wanted)))
    if denied := [one.words for one in gates if one.negated]:
        words = demands or say("model")
        demands = say("{words} that is {more}", words=words, more=listed(denied, "and"))
    demands = phrase(list(filter(None, [demands, model.words if model else ""])))
    if not what and _gated(case, gates):
        return _nothing(case, 0)
    if what:
        return say(
            "No {demands}; the newest {what} is from {day}.", demands=demands, what=what, day=made
        )
    return say("No {demands}; the newest is from {day}.", demands=demands, day=made)


def _akin(case: Grounded) -> tuple[NearMiss, ...]:
    """The newest models of the subjects that are nearest in kind: for a wolf, other animals."""
    missing, library = case.intent.missing, case.library
    if not missing:
        return ()
    shared = np.zeros(len(library.columns.created_us), np.int64)
    for one in kind_keys(stems(missing)) or kind_keys(stems(missing)[-1:]):
        shared += library.columns.subjects.any_of((one,))
    most = shared[library.positions].max(initial=0)
    akin = library.where(shared == most).lineages().newest() if most else library[:0]
    nearest, words = akin.newest_first()[:_NEAR], case.their(missing)
    return tuple(NearMiss(one.card, words, unsaid=True) for one in nearest)


def _offer(library: CardSelection) -> str:
    """A sentence with what the models are of, the newest first; "" where people described none."""
    if not library.where(described(library)):
        return ""
    newest, looks = library.lineages().newest().newest_first(), library.columns.look.where(bool)
    known = {
        subject_of(entry): None
        for entry in newest
        if entry.display_subjects and not looks[entry.position]
    }
    subjects = list(known)
    named = ", ".join(subjects[:_MAX_SUBJECTS])
    return (
        say("You have models of: {subjects} and more.", subjects=named)
        if len(subjects) > _MAX_SUBJECTS
        else say("You have models of: {subjects}.", subjects=named)
    )


def _newest(case: Grounded, card: int) -> CardView:
    return CardView(case.library.catalogue, case.builds.best_of(card))


def _ungated(intent: Intent) -> Intent:
    return replace(
        intent,
        times=(),
        versions=(),
        order=None,
        base_model=None,
        connected=None,
        other_bases=(),
        unwanted_bases=(),
        kind=None,
        builds=Builds(),
        origin=None,
        unwanted_origin="",
        used=None,
    )
