"""Answers to a question: one of its choices, or words that say which model is meant."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import numpy as np

from ..catalog.selection import CardView
from ..language.intent import Intent
from ..lexicon.replies import in_english
from ..lexicon.sentences import say
from ..lexicon.spelling import plain, stems
from .by_evidence import by_gates
from .decision import Choice, Question
from .described import described, told_apart
from .grounded import Grounded
from .question import NEWEST
from .selected import selected
from .verdict import Verdict
from .which import question_about, question_among

_PLACES = ("first", "second", "third", "fourth", "1", "2", "3", "4")
_PLACE = re.compile(rf"(?:the )?(?P<place>{'|'.join(_PLACES)})(?: (?:one|choice|option))?")
_ANY = re.compile(
    r"\b(?:any|whatever|whichever|either|does(?:n'?t| not) matter|do(?:n'?t| not) care|"
    r"no preference|you (?:choose|decide|pick))\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(?:neither|none|no(?:t any)? of (?:them|these|those))\b", re.IGNORECASE)


def answered(
    case: Grounded, question: Question, answer: str, said: Intent, now: datetime
) -> tuple[Verdict, Grounded]:
    """The verdict after one answer, and the case with the models that are left.

    An answer names a choice, or says in other words which of the models is meant; `said` is the
    answer, read like a request. "Neither" declines.
    """
    library = case.library
    offered = case.left.with_ids([one for choice in question.choices for one in choice.card_ids])
    choice = choice_of(question, answer)
    english = answer if choice else in_english(answer)
    choice = choice or choice_of(question, english)
    if is_none(english):
        verdict = Verdict(say("You answered '{answer}'.", answer=answer.strip()))
        return verdict, replace(case, left=library.at(library.positions[:0]), found=None)
    if is_any(english) or (choice and choice.label == NEWEST):
        why = say(
            "The newest of {number}, as you answered '{answer}'.",
            number=len(offered),
            answer=_as_shown(choice, answer),
        )
        newest = CardView(offered.catalogue, case.chooser.best_build(offered.positions))
        return Verdict(why, newest), replace(case, left=offered)
    if choice:
        narrowed = replace(case, left=case.left.with_ids(choice.card_ids), found=None)
        verdict = _of_choice(narrowed, choice, now)
        return _answer(_as_shown(choice, answer), verdict), narrowed
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
    lead = say("'{answer}' fits none of them. ", answer=answer.strip())
    again = replace(question, text=lead + question.text.removeprefix(lead))
    fit = say("{number} models fit.", number=len(offered))
    return Verdict(f"{lead}{fit}", question=again), case


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
    return selected(case, (case.chooser.best_build(left.positions),), now)


def _answer(answer: str, verdict: Verdict) -> Verdict:
    said = say("You answered '{answer}'.", answer=answer.strip())
    return replace(verdict, why=f"{said} {verdict.why}")


def _as_shown(choice: Choice | None, answer: str) -> str:
    """An answer as the user saw it."""
    return choice.shown if choice else answer.strip()


def is_any(answer: str) -> bool:
    """Whether the answer leaves the choice open: "any", "you choose"."""
    return answer.strip() == NEWEST or _ANY.search(answer) is not None


def is_none(answer: str) -> bool:
    """Whether the answer says that none of the choices is meant."""
    return _NONE.search(answer) is not None


def choice_of(question: Question, answer: str) -> Choice | None:
    """The choice that an answer names; None if it names none.

    An answer names a choice by its label, by its place ("2", "the second one"), or by words that
    only its label has.
    """
    said = plain(answer).strip().rstrip(".!")
    labels = [plain(choice.label) for choice in question.choices]
    shown = [plain(choice.shown) for choice in question.choices]
    for names in (labels, shown):
        if said in names:
            return question.choices[names.index(said)]
    place = _PLACE.fullmatch(said)
    if place and (number := _PLACES.index(place["place"]) % 4) < len(labels):
        return question.choices[number]
    words = set(stems(said))
    partly = [
        choice
        for choice, label in zip(question.choices, labels, strict=True)
        if words and words <= set(stems(label))
    ]
    return partly[0] if len(partly) == 1 else None
