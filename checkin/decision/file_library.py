"""Decides in a library whose cards were read from files: all words of a request are evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..catalog.selection import CardSelection
from ..language.parse import parse
from . import by_evidence
from .case import Case
from .clear import is_clear
from .evidence import grounder_of
from .evidence_answers import answered
from .grounded import Grounded
from .resolve import resolve
from .second_opinion import second_opinion
from .verdict import Verdict


def decide(case: Case) -> tuple[Verdict, CardSelection]:
    """The verdict, after the user's answers, and the models that are left."""
    options, intent = case.options, case.reading.intent
    whole = case.repository.catalogue()
    grounded = Grounded.of(
        intent,
        CardSelection(whole, np.arange(len(whole.ids))),
        grounder_of(case.repository.version, case.vocabulary, whole.columns),
        options.context.history,
    )
    if options.chosen:
        return resolve(options.chosen, whole), grounded.left
    verdict, grounded = by_evidence.decide(grounded, options.now, case.ranker)
    verdict = replace(verdict, clear=is_clear(grounded, verdict))
    if options.reasoner and not verdict.clear:
        is_answered = bool(options.answers)
        verdict = second_opinion(
            grounded, verdict, options.reasoner, case.ranker, options.now, is_answered
        )
    for answer in options.answers:
        if verdict.question:
            said = parse(answer, case.vocabulary, options.now)
            verdict, grounded = answered(grounded, verdict.question, answer, said, options.now)
    if verdict.question and options.no_more_questions:
        reason = "Still several after your answers" if options.answers else "Several fit"
        best = by_evidence.best_match(grounded, verdict.question, reason)
        verdict = replace(best, notices=verdict.notices)
    return verdict, grounded.left
