"""One request, decided: by evidence, a language model where that is not clear, and answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..catalog.selection import CardSelection
from ..language.parse import parse
from ..lexicon.replies import in_english
from ..lexicon.sentences import quoted
from . import by_evidence
from .answers import answered
from .base_models.moving import moving_or_not
from .base_models.other_base import called_but_for_another_base, for_another_base
from .candidates.grounded import Grounded
from .candidates.likely import SLIGHT, likely
from .candidates.near_words import near_request
from .case import Case
from .clear import is_clear
from .evidence.grounder import grounder_of
from .notices import not_used
from .picked import decide_picked
from .questions.named_choice import chosen
from .questions.which import best_match
from .reasoning.second_opinion import second_opinion
from .several.helpers import with_helpers, within_helpers
from .several.stands_for import names_of, words_of
from .verdict import Decided, Verdict


def decide(case: Case) -> tuple[Verdict, CardSelection]:
    """The verdict, after the user's answers, and the models that are left."""
    options = case.options
    said = whole = _grounded(case)
    if options.chosen:
        verdict = decide_picked(options.chosen, case.repository, options.connected)
        verdict = replace(verdict, neighbours=likely(said, least=SLIGHT))
        return _with_words(verdict, said, whole), said.left
    narrow = moving_or_not(whole) or whole
    narrow = within_helpers(narrow) or narrow
    verdict, said = _by_evidence(case, narrow)
    if verdict.declines and narrow is not whole:
        verdict, said = _by_evidence(case, whole)
    verdict = replace(verdict, clear=is_clear(said, verdict))
    if options.reasoner and not verdict.clear:
        is_answered = bool(options.answers)
        verdict, said = second_opinion(
            said, whole, verdict, options.reasoner, case.ranker, options.now, is_answered
        )
    heard, shown, unheard, lead = 0, [], [], ""
    for answer in options.answers:
        if verdict.question:
            if choice := chosen(said, verdict.question, answer):
                shown.append((answer, choice.shown))
            words = parse(in_english(answer), case.vocabulary, options.now)
            after = answered(said, verdict.question, answer, words, options.now)
            if isinstance(after, str):
                unheard.append(answer)
                lead = after
                continue
            heard, lead = heard + 1, ""
            verdict, said = _and_then(verdict, *after)
    while verdict.question and (options.best_match or heard >= options.most_questions):
        best = best_match(said, verdict.question, bool(heard))
        verdict, said = _and_then(verdict, replace(best, notices=verdict.notices), said)
    if lead and verdict.question:
        question = replace(verdict.question, text=lead + verdict.question.text)
        verdict = replace(verdict, question=question)
    verdict = with_helpers(whole, verdict, options.what_fits)
    near = near_request(case.request, whole, case.repository) if verdict.declines else ()
    verdict = replace(verdict, why=lead + verdict.why, heard=tuple(shown), near_words=near)
    verdict = replace(verdict, unheard=tuple(unheard))
    return _with_words(verdict, said, whole), said.left


def _by_evidence(case: Case, said: Grounded) -> Decided:
    options = case.options
    return by_evidence.decide(said, options.now, case.ranker, options.what_fits)


def _with_words(verdict: Verdict, said: Grounded, whole: Grounded) -> Verdict:
    """With the words that stand for each model: `said` is what was decided of the `whole`."""
    read = (said,) if said is whole else (said, whole)
    found = [names_of(one, verdict.views) for one in read]
    names = {
        view.id: max(
            (one[view.id] for one in found if view.id in one), key=lambda one: len(one.words)
        )
        for view in verdict.views
        if any(view.id in one for one in found)
    }
    words = [words_of(one, verdict.views) for one in read]
    used = {word for one in words for own in one.values() for word in own}
    left = {
        word: called_but_for_another_base(said, word) for word in verdict.unused if word not in used
    }
    unused = [quoted(said.their(word)) for word, model in left.items() if model is None]
    notices = (
        *([not_used(unused)] if unused else ()),
        *map(for_another_base, filter(None, left.values())),
        *verdict.notices,
    )
    return replace(verdict, words=words[0], names=names, notices=notices)


def _and_then(asked: Verdict, verdict: Verdict, said: Grounded) -> Decided:
    """The verdict on all models of a request, after that on the one which was asked about."""
    if asked.then is None or verdict.declines:
        return verdict, said
    if verdict.question:
        return replace(verdict, then=asked.then), said
    return asked.then(verdict, said)


def _grounded(case: Case) -> Grounded:
    """The request, grounded in all cards of the library."""
    whole = case.repository.catalogue()
    return Grounded.of(
        case.reading.intent,
        CardSelection(whole, np.arange(len(whole.ids))),
        grounder_of(case.repository.version, whole.columns),
        case.options.context.history,
    )
