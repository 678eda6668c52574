"""Decides by evidence: models, a question, or that nothing fits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from ..catalog.columns import Array
from ..catalog.selection import CardSelection, CardView
from ..language.readings import other_readings
from ..lexicon.spelling import joined
from .decision import Question
from .declined import declined
from .evidence import IS, Ground
from .grounded import SLIGHT, Grounded, likely, ranked
from .likelihood import probability
from .question import ask, ask_lineages, day, month_codes
from .verdict import Rank, Verdict

MONTH = timedelta(days=31)
_FEW = 3

_PLACES = ((0.9, "name"), (0.74, "kind"), (0.68, "tags"), (0.4, "description"), (0.0, "pictures"))
"""The least strength of a word, and where in the card it stands."""


def decide(case: Grounded, now: datetime, rank: Rank | None = None) -> tuple[Verdict, Grounded]:
    """Choose among the cards that are left: models, a question, or that nothing fits.

    Returned with the request as it was read. `rank` puts choices of a question in order that are as
    likely as one another. Where nothing fits, the other readings of the request are tried.
    """
    verdict = _decided(case, now, rank)
    if verdict.declines:
        for intent in other_readings(case.intent, now):
            other = case.read_as(intent)
            second = _decided(other, now, rank)
            if not second.declines:
                return second, other
    return verdict, case


def _decided(case: Grounded, now: datetime, rank: Rank | None) -> Verdict:
    if not case.left:
        return declined(case, now)
    if case.intent.used:
        return _used(case)
    if not case.telling:
        return by_gates(case, now)
    chosen = case.chooser.choose(case.found, case.odds)
    if chosen.outcome == "no_match":
        return by_gates(case, now) if _by_time(case) else declined(case, now)
    if chosen.outcome == "clarify":
        return question_among(case, _in_order(case, chosen.positions, rank), now)
    if len(chosen.positions) == 1 and (months := _months(case, chosen.positions[0], now)):
        return months
    return selected(case, chosen.positions, now)


def _by_time(case: Grounded) -> bool:
    """Whether the user says when they trained the model, and what it is of in unknown words."""
    known = max((ground.best for ground in case.head_grounds), default=0.0)
    dated = any(not one.negated for one in case.intent.times)
    own = case.intent.origin == "trained" or known > 0
    return dated and own and known < IS and len(case.left.lineages()) <= _FEW


def _months(case: Grounded, card: int, now: datetime) -> Verdict | None:
    """A question about the month, where a time of more than a month is named and finished builds
    of one base model are from several months.
    """
    intent, columns = case.intent, case.left.columns
    named = [one for term in intent.times if not term.negated for one in term.periods]
    long = len(named) > 1 or any(one.longer_than(MONTH) for one in named)
    if not long or intent.order or intent.versions:
        return None
    builds = case.chooser.builds(card)
    same = columns.base_model.codes[builds] == columns.base_model.codes[card]
    finished = case.left.at(builds[same & (columns.state_code[builds] == 0)])
    if len(month_codes(finished, now)[0]) < 2:
        return None
    return Verdict(
        f"{len(finished)} models fit.",
        question=ask(finished, lambda entries: ranked(case, entries), now, about="month"),
    )


def best_match(case: Grounded, question: Question, reason: str) -> Verdict:
    """The verdict that replaces a question: its likeliest model."""
    ids = list(dict.fromkeys(one for choice in question.choices for one in choice.card_ids))
    entry = CardView(case.left.catalogue, case.left.catalogue.position_of[ids[0]])
    return Verdict(f"{reason}: the newest of the best match among {len(ids)} models.", entry)


def _used(case: Grounded) -> Verdict:
    """The model that was used last, or most often, at the time that is named."""
    intent = case.intent
    periods = [period for term in intent.times for period in term.periods]
    left = set(case.left.positions.tolist())
    used = [
        (when, position)
        for when, position in case.uses
        if position in left and (not periods or any(when in period for period in periods))
    ]
    if not used:
        return Verdict("No model that you used then is here.")
    lineage = case.left.columns.lineage
    chance = (
        dict(
            zip(
                lineage[case.found.cards].tolist(),
                probability(case.odds).tolist(),
                strict=True,
            )
        )
        if case.found
        else {}
    )
    look = case.left.columns.look
    last = {position: when for when, position in used}
    counts = {position: sum(one == position for _, one in used) for position in last}
    most = bool(intent.used and intent.used.most)
    best = max(
        last,
        key=lambda one: (
            not case.looks or bool(look[one]),
            chance.get(int(lineage[one]), 0.0) > 0.1,
            counts[one] if most else 0,
            last[one],
        ),
    )
    when = last[best]
    return Verdict(
        f"You used it last on {when.day} {when:%B %Y}.", CardView(case.left.catalogue, best)
    )


def by_gates(case: Grounded, now: datetime) -> Verdict:
    """Choose where no word says what the model is of: by the gates alone."""
    intent, left, columns = case.intent, case.left, case.left.columns
    if not (case.gates or intent.order or intent.origin):
        return Verdict("The request names no model.")
    positions = left.positions
    positions = _prefer(positions, columns.state_code[positions] == 0)
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
        if chosen.outcome == "no_match":
            why = f"There are only {len(positions)}, so none is the {intent.order.words}."
            return Verdict(why)
        return selected(case, chosen.positions, now)
    lineages = left.at(positions).lineages()
    if len(lineages) == 1:
        return selected(case, (case.chooser.best_build(positions),), now)
    builds = [case.chooser.best_build(one.positions) for one in lineages.members()]
    newest = sorted(builds, key=lambda one: -columns.order[one])
    return question_among(case, newest, now)


def _prefer(positions: Array, fits: Array) -> Array:
    return positions[fits] if fits.any() else positions


def _in_order(case: Grounded, positions: Sequence[int], rank: Rank | None) -> Sequence[int]:
    """The cards, the likeliest first; `rank` decides between those that are equally likely."""
    if rank is None or case.found is None:
        return positions
    lineage = case.left.columns.lineage
    odds = dict(zip(lineage[case.found.cards].tolist(), case.odds.tolist(), strict=True))
    ranked_first = rank(case.left.at(np.array(positions, np.int64))).positions.tolist()
    return sorted(ranked_first, key=lambda one: -round(odds.get(int(lineage[one]), -np.inf), 1))


def question_among(case: Grounded, positions: Sequence[int], now: datetime) -> Verdict:
    """The question which of some cards, the likeliest first, is meant."""
    builds = [case.left.at(_alike(case, one, positions)) for one in positions]
    count = sum(map(len, builds))
    return Verdict(f"{count} models fit.", question=ask_lineages(builds, now))


def _alike(case: Grounded, card: int, others: Sequence[int]) -> Array:
    """The builds behind one choice: of its lineage, and of its base where another choice is of the
    same lineage.
    """
    builds = case.chooser.builds(card)
    lineage, base = case.left.columns.lineage, case.left.columns.base_model.codes
    same = [one for one in others if lineage[one] == lineage[card]]
    builds = builds if len(same) == 1 else builds[base[builds] == base[card]]
    first = np.array([card])
    return np.concatenate([first, builds[builds != card]])


def selected(case: Grounded, positions: Sequence[int], now: datetime) -> Verdict:
    """The verdict that some cards are meant together, with the words that say so."""
    views = [CardView(case.left.catalogue, one) for one in positions]
    return Verdict(
        " ".join(_why(case, view, now) for view in views),
        views[0],
        further=tuple(views[1:]),
        neighbours=_neighbours(case, positions[0]),
        notices=_unused(case, positions),
    )


def _unused(case: Grounded, positions: Sequence[int]) -> tuple[str, ...]:
    """A sentence with the words for what is drawn that none of the chosen models has."""
    words = [
        ground.mention.words
        for one in case.segments
        if one.segment.part == "head" or one.segment.look
        for ground in one.grounds
        if not ground.generic and not ground.strength[list(positions)].any()
    ]
    said = joined([f"'{word}'" for word in dict.fromkeys(words)], "and")
    return (f"Not used to choose the model: {said}.",) if words else ()


def _neighbours(case: Grounded, card: int) -> CardSelection:
    """The card, the other builds of its lineage, newest first, and the next likeliest models."""
    builds = case.left.at(case.chooser.builds(card)).newest_first().positions
    near = [card, *builds.tolist(), *likely(case, least=SLIGHT).positions.tolist()]
    return case.left.at(np.array(list(dict.fromkeys(near)), np.int64))


def _why(case: Grounded, entry: CardView, now: datetime) -> str:
    """Which words were met where, and which build was taken."""
    met = met_words(case.head_grounds, entry.position)
    builds = len(case.chooser.builds(entry.position))
    order = case.intent.order
    which = f"the {order.words}" if order else "the newest" if builds > 1 else "the only one"
    of = f" of {builds} builds" if builds > 1 and not order else ""
    words = f"{met}: " if met else ""
    return f"{entry.card.name}: {words}{which}{of}, from {day(entry, now)}."


def met_words(grounds: Sequence[Ground], card: int) -> str:
    """Which words a card has where: "'moss' in its name and 'grass' in its pictures"."""
    met: dict[str, list[str]] = {}
    for ground in grounds:
        strength = float(ground.strength[card])
        if strength > 0:
            place = next(name for least, name in _PLACES if strength >= least)
            met.setdefault(place, []).append(f"'{ground.mention.words}'")
    said = [
        f"{joined(list(dict.fromkeys(words)), 'and')} in its {place}"
        for place, words in met.items()
    ]
    return joined(said, "and")
