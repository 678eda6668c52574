"""Check-in: from a request in plain words to one model, one question, or the word that nothing
fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from .catalog.cards import Card
from .catalog.reference import Reference
from .catalog.selection import CardSelection, CardView
from .catalog.vocabulary import Vocabulary, vocabulary_of
from .decision import policy
from .decision.decision import Choice, Decision, Question
from .decision.policy import Verdict
from .decision.question import NEWEST
from .decision.reasoner import Reasoner
from .decision.resolve import resolve
from .decision.serving import serving_plan
from .index.repository import EmptyRepository, Repository
from .language.exact_triggers import unknown_triggers
from .language.intent import Intent
from .language.parse import parse
from .language.rewrite import rewrite, rewrite_at
from .language.trigger_prompt import mentions
from .lexicon.spelling import joined, plain, stems
from .llm import OFFLINE, Deadline, NoAnswer, Profile, profile_named
from .user.context import Context
from .user.preferences import MAX_QUESTIONS

_PLACES = ("first", "second", "third", "fourth", "1", "2", "3", "4")
_PLACE = re.compile(rf"(?:the )?(?P<place>{'|'.join(_PLACES)})(?: (?:one|choice|option))?")
_ANY = re.compile(
    r"\b(?:any|whatever|whichever|either|does(?:n'?t| not) matter|do(?:n'?t| not) care|no "
    r"preference|"
    r"you (?:choose|decide|pick))\b",
    re.IGNORECASE,
)
_RANKED = 50
"""Models that retrieval puts in order; the newest come first in."""


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
    deadline: float = 8.0,
    context: Context | None = None,
    chosen: Reference | None = None,
    most_questions: int = MAX_QUESTIONS,
) -> Decision:
    """Which model of `repository` the request means.

    `now` (default: this moment, local zone) is what "last week" counts from. `answers` are what the
    user answered to the questions so far, a choice's label or own words; each narrows what is left.
    `base_model` ("sd15", "sdxl", ...) leaves out models of any other. With `best_match` no question
    is asked: the likeliest model is taken; so it is after `most_questions` in a row.

    `reasoner` is a language model, by a profile or its name, that decides what the rules cannot:
    where words of the request were not understood or left unused (rule 8). It has `deadline`
    seconds in all; without its answer the offline one stands, with a notice. `settings` is the
    folder of the user's profiles and keys.

    `context` is the machine, the user's preferences and history; it changes the serving plan and
    nothing else.

    `chosen` is a model that the user picked by hand for this request: it is taken if it is here,
    whatever fits.

    Raises ValueError for an empty request, an unknown reasoner or a `now` without zone,
    EmptyRepository where there is no model that can be asked for.
    """
    now = now or datetime.now().astimezone()
    _check(request, now)
    profile = (
        profile_named(reasoner, settings)
        if isinstance(reasoner, str) and reasoner != OFFLINE
        else reasoner
    )
    helper = (
        Reasoner(profile, Deadline(deadline), settings) if isinstance(profile, Profile) else None
    )
    vocabulary = vocabulary_of(repository.version, repository.catalogue)
    intent = parse(request, vocabulary, now)
    entries = vocabulary.personal
    if not entries:
        raise EmptyRepository(
            "No model here can be asked for: none has a trigger, a subject or a style. "
            "Describe one in a sidecar named like its file with the ending .personalq.yaml."
        )
    if base_model:
        intent = replace(intent, base_model=base_model)
    notices = [
        f"No model here has the trigger {one}." for one in unknown_triggers(request, vocabulary)
    ]

    def rank(left: Sequence[CardView]) -> CardSelection:
        newest_first = CardSelection.of(left).newest_first()
        shown = {entry.id: entry for entry in newest_first[:_RANKED]}
        ordered = repository.rank(request, [entry.card for entry in shown.values()])
        notices.extend(notice for notice in ordered.notices if notice not in notices)
        first = CardSelection.of([shown[card.id] for card in ordered.cards])
        return newest_first.at(np.concatenate([first.positions, newest_first[_RANKED:].positions]))

    left = policy.candidates(intent, entries)
    if chosen:
        verdict = resolve(chosen, repository.catalogue())
    elif left:
        understood = not intent.unhandled and not intent.empty
        verdict = policy.decide(intent, left, rank, now, understood=understood)
        if helper and not answers and verdict.question and (not understood or intent.details):
            verdict = _reasoned(helper, intent, left, rank, now, verdict, notices)
        for answer in answers:
            if verdict.question:
                verdict, left = _answered(
                    intent, verdict.question, left, answer, rank, vocabulary, now
                )
        if verdict.question and (best_match or len(answers) >= most_questions):
            reason = "Still several after your answers" if answers else "Several fit"
            verdict = policy.best_match(left, rank, reason)
    else:
        verdict = policy.no_match(intent, entries, now)
        others = (
            policy.candidates(replace(intent, missing=None), entries)
            if helper and intent.missing
            else None
        )
        if helper and others:  # the thing may be here under a word that the rules do not know
            verdict = _reasoned(
                helper, replace(intent, missing=None), others, rank, now, verdict, notices
            )
    card = verdict.entry.card if verdict.entry else None
    if verdict.entry and (chosen or verdict.entry.id in intent.names):
        notices += _contradictions(intent, verdict.entry, entries, repository)
    notices += _unusable(card) if card else ()
    context = context or Context()
    base = repository.base_for(card) if card else None
    return Decision(
        outcome="select" if card else "clarify" if verdict.question else "no_match",
        request=request,
        why=verdict.why,
        intent=intent,
        serving=serving_plan(request, card, context, now, base),
        card=card,
        base=base,
        prompt=_prompt(request, verdict.entry, helper, notices) if verdict.entry else None,
        question=verdict.question,
        near=verdict.near,
        others=policy.runners_up(verdict, left) if card else (),
        context=context,
        notices=tuple(notices),
    )


def _reasoned(
    helper: Reasoner,
    intent: Intent,
    left: CardSelection,
    rank: policy.Rank,
    now: datetime,
    offline: Verdict,
    notices: list[str],
) -> Verdict:
    """What the reasoner says; the offline verdict and a notice where it gives no answer that can be
    used.
    """
    try:
        verdict, attribute = helper.select(intent, left, rank, now.isoformat(timespec="minutes"))
    except NoAnswer as error:
        notices.append(f"{helper.profile.name} was not heard: {error}. Decided without it.")
        return offline
    if verdict or not offline.question:
        return verdict or offline
    return policy.question_about(left, rank, now, attribute)


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


def _answered(
    intent: Intent,
    question: Question,
    left: CardSelection,
    answer: str,
    rank: policy.Rank,
    vocabulary: Vocabulary,
    now: datetime,
) -> tuple[Verdict, CardSelection]:
    """The verdict after one answer, and the models that it leaves."""
    choice = _chosen(question, answer)
    if (choice and choice.label == NEWEST) or (not choice and _ANY.search(answer)):
        return (
            Verdict(
                f"The newest of {len(left)}, as you answered '{answer.strip()}'.", left.newest()
            ),
            left,
        )
    if choice:
        left = left.with_ids(choice.card_ids)
        said = Intent(intent.request)
    else:
        said = parse(answer, vocabulary, now)
        narrowed = policy.candidates(said, left) if not said.empty or said.details else None
        if not narrowed:
            lead = f"'{answer.strip()}' fits none of them. "
            again = replace(question, text=lead + question.text.removeprefix(lead))
            return Verdict(f"{lead}{len(left)} models fit.", question=again), left
        left = narrowed
    merged = replace(
        intent, order=said.order or intent.order, details=(*intent.details, *said.details)
    )
    if question.attribute == "month" and choice:
        merged = replace(merged, times=())  # the month is answered: its newest build
    verdict = policy.decide(merged, left, rank, now)
    if verdict.entry:
        verdict = replace(verdict, why=f"You answered '{answer.strip()}'. {verdict.why}")
    return verdict, left


def _chosen(question: Question, answer: str) -> Choice | None:
    """The choice that an answer names: by its label, by its place ("2", "the second one"), or by
    words of it alone.
    """
    said = plain(answer).strip().rstrip(".!")
    labels = [plain(choice.label) for choice in question.choices]
    if said in labels:
        return question.choices[labels.index(said)]
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


def _contradictions(
    intent: Intent, entry: CardView, entries: CardSelection, repository: Repository
) -> list[str]:
    """What the request says of models and the model is not, which it names or which was chosen by
    hand.
    """
    words = [f"'{word}'" for word in policy.unused(intent, entry, entries)]
    said = [f"Not used to choose the model: {joined(words, 'and')}."] if words else []
    if intent.names and entry.id not in intent.names:
        said.append(f"The request names another model: {repository.get(intent.names[0]).name}.")
    return said


def _unusable(card: Card) -> list[str]:
    """What the user should know of triggers that no prompt can hold."""
    said = [f"The trigger {one}." for one in card.unusable]
    return [*said, f"{card.name} has no other trigger."] if said and not card.triggers else said


def _prompt(request: str, entry: CardView, helper: Reasoner | None, notices: list[str]) -> str:
    """The request with the trigger in it; where the rules find no word for the subject, the
    reasoner may point.
    """
    found = rewrite(request, entry.card)
    trigger = entry.card.trigger
    if helper is None or found.replaced or not trigger or mentions(request, trigger):
        return found.text
    try:
        span = helper.words(request, entry)
    except NoAnswer as error:
        notices.append(f"{helper.profile.name} was not heard: {error}. The trigger was put first.")
        return found.text
    return rewrite_at(request, entry.card, span).text if span else found.text
