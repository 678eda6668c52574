"""Answers to a question: one of its choices, or words that say which model is meant."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from ..catalog.selection import CardSelection, CardView
from ..language.intent import Intent
from ..lexicon.replies import in_english
from ..lexicon.sentences import say
from ..lexicon.spelling import plain, stems
from ..lexicon.text import in_short
from .by_evidence import by_gates
from .candidates.described import described, told_apart
from .candidates.grounded import Grounded
from .candidates.likely import likely
from .decision import Choice, Question
from .questions.called_in_answer import called_in_answer, named_in_answer
from .questions.named_choice import (
    is_any,
    is_known,
    is_none,
    labelled,
    named_choice,
    shown_choice,
)
from .questions.question import NEWEST
from .questions.which import question_about, question_among
from .selected import selected
from .verdict import Decided, Verdict


def answered(
    case: Grounded, question: Question, answer: str, said: Intent, now: datetime
) -> Decided | str:
    """The verdict after one answer, and the case with the models that are left.

    An answer names a choice, or says in other words which of the models is meant; `said` is the
    answer, read like a request. "Neither" declines. A sentence where it was not understood.
    """
    library = case.library
    offered = case.left.with_ids([one for choice in question.choices for one in choice.card_ids])
    english = in_english(answer)
    if english == answer and said.gloss:
        english = said.gloss.text
    choice = labelled(question, answer)
    if not choice and is_none(english):
        why = say(
            "You answered '{answer}'. Say in the request what it should be.",
            answer=in_short(answer),
        )
        return Verdict(why), replace(case, left=library.at(library.positions[:0]), found=None)
    open_to_all = not choice and (is_any(english) or plain(answer).strip() == NEWEST)
    choice = choice or (None if open_to_all else named_choice(case, question, english))
    if open_to_all or (choice and choice.label == NEWEST):
        why = say(
            "The newest of {number}, as you answered '{answer}'.",
            number=len(offered),
            answer=_as_shown(choice, answer),
        )
        newest = CardView(offered.catalogue, case.builds.best(offered.positions))
        return Verdict(why, newest), replace(case, left=offered)
    if choice is None:
        found = _described(case, question, offered, answer, english, said, now)
        if not isinstance(found, Choice):
            return found
        choice = found
    narrowed = replace(case, left=case.left.with_ids(choice.card_ids), found=None, answered=True)
    by_words = not labelled(question, answer) and {*stems(english)} & {*stems(choice.label)}
    if by_words and (said.order or said.versions or said.times):
        if build := _build_said(narrowed, said):
            return _answer(answer, selected(narrowed, build, now)), narrowed
        return _not_understood(case, answer, english, 0)
    return _answer(_as_shown(choice, answer), _of_choice(narrowed, choice, now)), narrowed


def _described(
    case: Grounded,
    question: Question,
    offered: CardSelection,
    answer: str,
    english: str,
    said: Intent,
    now: datetime,
) -> Decided | str | Choice:
    """What an answer that names no choice says: models by their names, a choice by what it shows,
    else the sentence that it was not understood.
    """
    if called := called_in_answer(case, answer, english):
        return _called(case, called, answer, now)
    if found := _in_other_words(case, question, offered, answer, said, now):
        return found
    shown = shown_choice(case, question, english)
    if not isinstance(shown, int):
        return shown
    rest = likely(case)  # there may be more than the question has room for
    if not shown and (found := _in_other_words(case, question, rest, answer, said, now)):
        return found
    if named := named_in_answer(case, answer):
        return _called(case, named, answer, now)
    return _not_understood(case, answer, english, shown)


def _called(case: Grounded, called: CardSelection, answer: str, now: datetime) -> Decided:
    """The verdict where an answer calls models by their name."""
    narrowed = replace(case, left=called, found=None, answered=True)
    builds = [case.builds.best(one.positions) for one in called.lineages().members()]
    if len(builds) > 1:
        return question_among(case, builds, now), narrowed
    return _answer(answer, selected(narrowed, builds, now)), narrowed


def _build_said(case: Grounded, said: Intent) -> tuple[int, ...]:
    """The build that an answer says besides its choice: "the oldest realistic one"."""
    within = Grounded.of(said, case.library, case.grounder, within=case.left, model=case.model)
    if said.order:
        return within.chooser.ordered(within.left.positions).positions if within.left else ()
    return (within.builds.best(within.left.positions),) if within.left else ()


def _in_other_words(
    case: Grounded,
    question: Question,
    offered: CardSelection,
    answer: str,
    said: Intent,
    now: datetime,
) -> Decided | None:
    """The verdict where an answer, read like a request, tells the models apart."""
    within = Grounded.of(said, case.library, case.grounder, within=offered, model=case.model)
    within = replace(within, answered=True)
    if said.order and not within.telling:
        chosen = within.chooser.ordered(within.left.positions)
        if chosen.positions:  # there may be no "fifth oldest" of two
            return _answer(answer, selected(within, chosen.positions, now)), within
    if within.found is not None:
        covers = np.max([one.cover(within.found.cards) for one in within.segments], axis=0)
        best = within.found.cards[covers >= max(0.5, covers.max(initial=0.0) - 0.05)]
        if said.order and len(best):
            builds = np.concatenate([within.builds.of(int(one)) for one in best])
            positions = within.chooser.ordered(builds).positions
        else:
            positions = tuple(within.builds.best_of(int(one)) for one in best)
        if len(positions) == 1:
            return _answer(answer, selected(within, positions, now)), within
        if 1 < len(positions) < sum(choice.label != NEWEST for choice in question.choices):
            return question_among(within, positions, now), within
    elif within.left and len(within.left) < len(offered) and not within.telling:
        return _answer(answer, by_gates(within, now)), within
    return None


def _not_understood(case: Grounded, answer: str, english: str, fitting: int) -> str:
    """Why an answer tells nothing; `fitting`: how many choices it fits."""
    short = in_short(answer)
    if fitting:
        return say("'{answer}' fits several of them. ", answer=short)
    if is_known(case, english):
        return say("'{answer}' fits none of them. ", answer=short)
    return say("I did not understand '{words}'. ", words=short)


def _of_choice(case: Grounded, choice: Choice, now: datetime) -> Verdict:
    """The model behind a choice; of described models of several lineages the one that the request
    says more of, else a question.
    """
    first = case.left.catalogue.position_of[choice.card_ids[0]]
    if not described(case.left)[case.left.positions].all():
        return selected(case, (first,), now)
    left = told_apart(case.intent, case.left)
    if case.intent.order:
        chosen = case.chooser.ordered(left.positions)
        return Verdict(chosen.why) if chosen.why else selected(case, chosen.positions, now)
    if len(left.lineages()) > 1:
        return question_about(case, left, now)
    return selected(case, (case.builds.best(left.positions),), now)


def _answer(answer: str, verdict: Verdict) -> Verdict:
    said = say("You answered '{answer}'.", answer=in_short(answer))
    return replace(verdict, why=f"{said} {verdict.why}")


def _as_shown(choice: Choice | None, answer: str) -> str:
    """An answer as the user saw it."""
    said = plain(answer).strip()
    named = choice and (said.isdigit() or said == plain(choice.label))
    return choice.shown if choice and named else in_short(answer)
