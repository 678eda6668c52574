"""Answers to a question that was asked by evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from ..catalog.selection import CardView
from ..language.intent import Intent
from .answers import choice_of, is_any, is_none
from .by_evidence import by_gates, question_among, selected
from .decision import Question
from .grounded import Grounded
from .question import NEWEST
from .verdict import Verdict


def answered(
    case: Grounded, question: Question, answer: str, said: Intent, now: datetime
) -> tuple[Verdict, Grounded]:
    """The verdict after one answer, and the case with the models that are left.

    An answer names a choice, or says in other words which of the models is meant; `said` is the
    answer, read like a request. "Neither" declines.
    """
    library = case.library
    offered = case.left.with_ids([one for choice in question.choices for one in choice.card_ids])
    if is_none(answer):
        verdict = Verdict(f"You answered '{answer.strip()}'.")
        return verdict, replace(case, left=library.at(library.positions[:0]), found=None)
    choice = choice_of(question, answer)
    if is_any(answer) or (choice and choice.label == NEWEST):
        why = f"The newest of {len(offered)}, as you answered '{answer.strip()}'."
        newest = CardView(offered.catalogue, case.chooser.best_build(offered.positions))
        return Verdict(why, newest), replace(case, left=offered)
    if choice:
        narrowed = replace(case, left=case.left.with_ids(choice.card_ids), found=None)
        first = case.left.catalogue.position_of[choice.card_ids[0]]
        return _answer(answer, selected(narrowed, (first,), now)), narrowed
    within = Grounded.of(said, library, case.grounder, within=offered, model=case.model)
    if said.order and not within.telling:
        chosen = within.chooser.ordered(within.left.positions)
        return _answer(answer, selected(within, chosen.positions, now)), within
    if within.found is not None:
        covers = np.max([one.cover(within.found.cards) for one in within.segments], axis=0)
        best = within.found.cards[covers >= max(0.5, covers.max(initial=0.0) - 0.05)]
        positions = tuple(
            within.chooser.best_build(within.chooser.builds(int(one))) for one in best
        )
        if len(positions) == 1:
            return _answer(answer, selected(within, positions, now)), within
        if 1 < len(positions) < len(question.choices):
            return question_among(within, positions, now), within
    elif within.left and len(within.left) < len(offered) and not within.telling:
        verdict = by_gates(within, now)
        return _answer(answer, verdict), within
    lead = f"'{answer.strip()}' fits none of them. "
    again = replace(question, text=lead + question.text.removeprefix(lead))
    return Verdict(f"{lead}{len(offered)} models fit.", question=again), case


def _answer(answer: str, verdict: Verdict) -> Verdict:
    return replace(verdict, why=f"You answered '{answer.strip()}'. {verdict.why}")
