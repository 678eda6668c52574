"""Decides in a library that people described: subjects and styles are constraints."""

from __future__ import annotations

from dataclasses import replace

from ..catalog.selection import CardSelection
from ..llm import NoAnswer
from . import policy
from .answers import answered
from .case import Case
from .constraints import Reading, apply
from .near_misses import no_match
from .reasoner import Reasoner
from .resolve import resolve
from .second_opinion import not_heard
from .shortlist import MAX_LINEAGES
from .verdict import Verdict


def decide(case: Case) -> tuple[Verdict, CardSelection]:
    """The verdict, after the user's answers, and the models that are left."""
    left = policy.candidates(case.reading, case.library)
    return _answer(case, _decide(case, left), left)


def _decide(case: Case, left: CardSelection) -> Verdict:
    """Choose among `left`, the models that meet all constraints.

    The verdict is a model, a question, or that nothing fits.
    """
    options, intent = case.options, case.reading.intent
    if options.chosen:
        return resolve(options.chosen, case.repository.catalogue())
    if not left:
        return _decline(case)
    understood = not intent.unhandled and not intent.empty
    foreign = not intent.language.known
    verdict = policy.decide(case.reading, left, case.rank, options.now, understood=understood)
    is_open = foreign or (verdict.question and (not understood or intent.details))
    if options.reasoner and is_open and not options.answers:
        return _reasoned(case, options.reasoner, case.reading, left, verdict)
    return verdict


def _decline(case: Case) -> Verdict:
    """Say that nothing fits, unless the reasoner finds the missing subject under another word."""
    intent, reasoner = case.reading.intent, case.options.reasoner
    verdict = no_match(case.reading, case.library, case.options.now)
    if reasoner and (intent.missing or not intent.language.known):
        reading = Reading.of(replace(intent, missing=None))
        if others := policy.candidates(reading, case.library):
            return _reasoned(case, reasoner, reading, others, verdict)
    return verdict


def _reasoned(
    case: Case, reasoner: Reasoner, reading: Reading, left: CardSelection, offline: Verdict
) -> Verdict:
    """The reasoner's verdict; `offline`, with a notice, if it gives no usable answer.

    If there are too many cards, it sees the newest of each lineage that fit best.
    """
    now = case.options.now
    shown = case.rank(left if len(left) <= MAX_LINEAGES else left.lineages().newest())
    try:
        opinion = reasoner.select(
            reading.intent,
            shown[:MAX_LINEAGES],
            apply(reading.constraints, left),
            now.isoformat(timespec="minutes"),
        )
    except NoAnswer as error:
        return replace(offline, notices=(*offline.notices, not_heard(reasoner, error)))
    if opinion.outcome == "clarify":
        asked = policy.question_about(CardSelection.of(opinion.entries), case.rank, now)
        return replace(asked, why=opinion.why)
    entry = opinion.entries[0] if opinion.entries else None
    return Verdict(opinion.why, entry, opinion.entries[1:])


def _answer(case: Case, verdict: Verdict, left: CardSelection) -> tuple[Verdict, CardSelection]:
    """The verdict after the user's answers, and the models that are left."""
    options = case.options
    for answer in options.answers:
        if verdict.question:
            verdict, left = answered(
                case.reading,
                verdict.question,
                left,
                answer,
                case.rank,
                case.vocabulary,
                options.now,
            )
    if verdict.question and options.no_more_questions:
        reason = "Still several after your answers" if options.answers else "Several fit"
        best = policy.best_match(left, case.rank, reason)
        verdict = replace(best, notices=verdict.notices)
    return verdict, left
