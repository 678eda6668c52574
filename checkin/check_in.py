"""The Check-in pipeline: from a request to a decision.

It reads the request with the words of the library, chooses a model or asks, applies the user's
answers, rewrites the prompt, and plans how the model is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np

from .catalog.cards import Card
from .catalog.reference import Reference
from .catalog.selection import CardSelection, CardView
from .catalog.vocabulary import Vocabulary, vocabulary_of
from .decision import by_evidence, policy
from .decision.answers import answered
from .decision.clear import is_clear
from .decision.constraints import Reading, apply
from .decision.decision import Decision
from .decision.described import is_described
from .decision.evidence import grounder_of
from .decision.evidence_answers import answered as answered_by_evidence
from .decision.grounded import Grounded
from .decision.near_misses import no_match
from .decision.notices import contradictions, unusable_triggers
from .decision.offered_name import offered_name
from .decision.options import Options
from .decision.ranking import Ranker
from .decision.reasoner import Reasoner
from .decision.resolve import resolve
from .decision.second_opinion import not_heard, second_opinion
from .decision.serving import serving_plan
from .decision.shortlist import MAX_LINEAGES
from .decision.verdict import Rank, Verdict
from .index.repository import EmptyRepository, Repository
from .language.drawn import Drawn, drawn
from .language.exact_triggers import unknown_triggers
from .language.parse import parse
from .language.rewrite import Rewrite, rewrite, rewrite_at
from .language.rewrite_glossed import rewrite_glossed
from .language.trigger_prompt import mentions
from .llm import OFFLINE, Deadline, NoAnswer, Profile, profile_named
from .user.context import Context
from .user.preferences import MAX_QUESTIONS

_UNKNOWN_LANGUAGE = (
    "Check-in does not know {}: it looked only for names. A language model can be set in Settings, "
    "PersonalQ."
)


def check_in(
    request: str,
    repository: Repository,
    *,
    now: datetime | None = None,
    answers: Sequence[str] = (),
    reasoner: str | Profile = OFFLINE,
    base_model: str | None = None,
    best_match: bool = False,
    settings: Path | None = None,
    deadline: float = 20.0,
    context: Context | None = None,
    chosen: Reference | None = None,
    most_questions: int = MAX_QUESTIONS,
    whole_prompt: bool = False,
) -> Decision:
    """Decide which model of `repository` the request means.

    `now` (default: the current time, in the local zone) is the moment that "last week" is counted
    from. `answers` are the user's answers to the questions so far, each the label of a choice or
    free text; each one narrows the models that are left. `base_model` ("sd15", "sdxl", ...) leaves
    out models of any other base model. With `best_match`, and after `most_questions` questions in a
    row, the likeliest model is taken instead of asking.

    `reasoner` is a language model: a profile, or a profile's name. It is asked where the evidence
    is not clear, and where models were described, for words that were not understood (rule 9). It
    has `deadline` seconds in total; if it gives no answer, the rules' decision stands, with a
    notice. `settings` is the folder with the user's profiles and keys.

    `context` holds the machine, the user's preferences and history; only the serving plan depends
    on it. `chosen` is a model that the user picked by hand: if it is in the repository, it is taken
    whatever the request says.

    Words of the request that only choose the model ("my latest", "from last winter", "please") are
    left out of the prompt; with `whole_prompt` they stay.

    Raises ValueError for an empty request, an unknown reasoner or a `now` without a time zone, and
    EmptyRepository if no model of the repository can be asked for.
    """
    now = now or datetime.now().astimezone()
    _check(request, now)
    options = Options(
        now=now,
        answers=tuple(answers),
        reasoner=_reasoner(reasoner, deadline, settings),
        base_model=base_model,
        best_match=best_match,
        context=context or Context(),
        chosen=chosen,
        most_questions=most_questions,
    )
    case = _read(request, repository, options)
    if is_described(case.library):
        left = policy.candidates(case.reading, case.library)
        verdict = _decide(case, left)
        verdict, left = _answer(case, verdict, left)
    else:
        verdict, left = _by_evidence(case)
    prompt, unheard = _rewrite(case, verdict, whole_prompt)
    notices = (*_notices(case, verdict), *unheard)
    return _plan(case, verdict, left, prompt, notices)


@dataclass(frozen=True)
class _Case:
    """One request, as understood with the words of one library."""

    request: str
    repository: Repository
    options: Options
    vocabulary: Vocabulary
    reading: Reading
    rank: Rank
    ranker: Ranker

    @property
    def library(self) -> CardSelection:
        """The models that can be asked for."""
        return self.vocabulary.personal


def _check(request: str, now: datetime) -> None:
    if not request.strip():
        raise ValueError(
            "The request is empty: say what you want, for example 'my latest realistic bear on "
            "grass'."
        )
    if now.tzinfo is None:
        raise ValueError(
            "`now` has no time zone: give an aware datetime, or '2025-05-15T12:00+02:00'."
        )


def _reasoner(named: str | Profile, deadline: float, settings: Path | None) -> Reasoner | None:
    if named == OFFLINE:
        return None
    profile = profile_named(named, settings) if isinstance(named, str) else named
    return Reasoner(profile, Deadline(deadline), settings)


def _read(request: str, repository: Repository, options: Options) -> _Case:
    vocabulary = vocabulary_of(repository.version, repository.catalogue)
    if not vocabulary.personal:
        raise EmptyRepository(
            "No model here can be asked for: none has a trigger, a subject or a style. "
            "Describe one in a sidecar named like its file with the ending .personalq.yaml."
        )
    intent = parse(request, vocabulary, options.now)
    if options.base_model:
        intent = replace(intent, base_model=options.base_model)
    ranker = Ranker(intent.gloss.text if intent.gloss else request, repository)
    return _Case(request, repository, options, vocabulary, Reading.of(intent), ranker, ranker)


def _decide(case: _Case, left: CardSelection) -> Verdict:
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


def _by_evidence(case: _Case) -> tuple[Verdict, CardSelection]:
    """The verdict where cards were read from files, and the models that are left."""
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
        answered = bool(options.answers)
        verdict = second_opinion(
            grounded, verdict, options.reasoner, case.ranker, options.now, answered
        )
    for answer in options.answers:
        if verdict.question:
            said = parse(answer, case.vocabulary, options.now)
            verdict, grounded = answered_by_evidence(
                grounded, verdict.question, answer, said, options.now
            )
    if verdict.question and options.no_more_questions:
        reason = "Still several after your answers" if options.answers else "Several fit"
        best = by_evidence.best_match(grounded, verdict.question, reason)
        verdict = replace(best, notices=verdict.notices)
    return verdict, grounded.left


def _decline(case: _Case) -> Verdict:
    """Say that nothing fits, unless the reasoner finds the missing subject under another word."""
    intent, reasoner = case.reading.intent, case.options.reasoner
    verdict = no_match(case.reading, case.library, case.options.now)
    if reasoner and (intent.missing or not intent.language.known):
        reading = Reading.of(replace(intent, missing=None))
        if others := policy.candidates(reading, case.library):
            return _reasoned(case, reasoner, reading, others, verdict)
    return verdict


def _reasoned(
    case: _Case, reasoner: Reasoner, reading: Reading, left: CardSelection, offline: Verdict
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


def _answer(case: _Case, verdict: Verdict, left: CardSelection) -> tuple[Verdict, CardSelection]:
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


def _rewrite(case: _Case, verdict: Verdict, whole: bool) -> tuple[Drawn | None, list[str]]:
    """The prompt with the models' triggers in it (None without a model), and notices.

    With `whole` it is the whole request, else what is drawn of it. Where the rules find no word for
    the subject, the reasoner may point at one.
    """
    if verdict.entry is None:
        return None, []
    request, intent = case.request, case.reading.intent
    reasoner = None if verdict.clear else case.options.reasoner
    cards = [_with_all_names(one) for one in (verdict.entry, *verdict.further)]
    if intent.gloss:
        return Drawn(rewrite_glossed(request, intent.gloss, cards), request), []
    text = Drawn.of(request) if whole else drawn(request, intent, cards)
    said: list[str] = []
    for card in reversed(cards):
        beside = [one.trigger for one in cards if one.trigger and one is not card]
        found = rewrite(text.text, card, beside)
        if reasoner and len(cards) == 1 and _is_first(found, text.text, card):
            try:
                span = reasoner.words(text.text, verdict.entry)
                found = rewrite_at(text.text, card, span) if span else found
            except NoAnswer as error:
                said = [
                    f"{reasoner.profile.name} was not heard: {error}. The trigger was put first."
                ]
        text = text.after(found)
    return text, said


def _is_first(found: Rewrite, text: str, card: Card) -> bool:
    """Whether a rewriting put the trigger first, as no word of the text names the subject."""
    return bool(card.trigger and text and not found.replaced and not mentions(text, card.trigger))


def _with_all_names(entry: CardView) -> Card:
    """The card, with what the user calls any build of its lineage."""
    cards, lineage = entry.catalogue.cards, entry.catalogue.columns.lineage
    builds = np.flatnonzero(lineage == lineage[entry.position]).tolist()
    return replace(entry.card, names=tuple(name for one in builds for name in cards[one].names))


def _notices(case: _Case, verdict: Verdict) -> list[str]:
    """Notices for the user besides the decision, in the order in which they arose."""
    unknown = unknown_triggers(case.request, case.vocabulary)
    language = case.reading.intent.language
    notices = [] if language.known else [_UNKNOWN_LANGUAGE.format(language.name)]
    notices += [f"No model here has the trigger {one}." for one in unknown]
    notices += [*case.ranker.notices, *verdict.notices]
    if entry := verdict.entry:
        if case.options.chosen or entry.id in case.reading.intent.names:
            notices += contradictions(case.reading, entry, case.library)
        notices += unusable_triggers(entry.card)
    return notices


def _offered_name(case: _Case, verdict: Verdict) -> str:
    """What the model could be called that the user picked, by hand or by an answer; "" if none."""
    entry, picked = verdict.entry, case.options.chosen or case.options.answers
    if not (picked and entry and entry.card.path) or verdict.further:
        return ""
    columns = case.repository.catalogue().columns
    grounder = grounder_of(case.repository.version, case.vocabulary, columns)
    return offered_name(case.reading.intent, grounder, entry)


def _plan(
    case: _Case,
    verdict: Verdict,
    left: CardSelection,
    prompt: Drawn | None,
    notices: tuple[str, ...],
) -> Decision:
    """The decision, with the serving plan."""
    options = case.options
    card = verdict.entry.card if verdict.entry else None
    base = case.repository.base_for(card) if card else None
    return Decision(
        outcome="select" if card else "clarify" if verdict.question else "no_match",
        request=case.request,
        why=verdict.why,
        intent=case.reading.intent,
        constraints=case.reading.constraints,
        serving=serving_plan(case.request, card, options.context, options.now, base),
        card=card,
        further=tuple(view.card for view in verdict.further),
        base=base,
        prompt=prompt.text if prompt else None,
        left_out=prompt.left_out if prompt else (),
        pieces=prompt.pieces if prompt else (),
        question=verdict.question,
        near=verdict.near,
        others=policy.runners_up(verdict, left) if card and left else (),
        context=options.context,
        notices=notices,
        offered_name=_offered_name(case, verdict),
    )
