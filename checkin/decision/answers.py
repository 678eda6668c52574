"""Answers to a question: one of its choices, or words that narrow the models that are left."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from ..catalog.selection import CardSelection
from ..catalog.vocabulary import Vocabulary
from ..language.intent import Intent
from ..language.parse import parse
from ..lexicon.spelling import plain, stems
from . import policy
from .constraints import Reading
from .decision import Choice, Question
from .question import NEWEST
from .verdict import Rank, Verdict

_PLACES = ("first", "second", "third", "fourth", "1", "2", "3", "4")
_PLACE = re.compile(rf"(?:the )?(?P<place>{'|'.join(_PLACES)})(?: (?:one|choice|option))?")
_ANY = re.compile(
    r"\b(?:any|whatever|whichever|either|does(?:n'?t| not) matter|do(?:n'?t| not) care|"
    r"no preference|you (?:choose|decide|pick))\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(?:neither|none|no(?:t any)? of (?:them|these|those))\b", re.IGNORECASE)


def answered(
    reading: Reading,
    question: Question,
    left: CardSelection,
    answer: str,
    rank: Rank,
    vocabulary: Vocabulary,
    now: datetime,
) -> tuple[Verdict, CardSelection]:
    """The verdict after one answer, and the models that are left."""
    choice = choice_of(question, answer)
    if (choice and choice.label == NEWEST) or (not choice and _ANY.search(answer)):
        why = f"The newest of {len(left)}, as you answered '{answer.strip()}'."
        return Verdict(why, left.newest()), left
    if choice:
        said, narrowed = Intent(reading.intent.request), left.with_ids(choice.card_ids)
    else:
        said = parse(answer, vocabulary, now)
        fits_some = not said.empty or said.details
        narrowed = policy.candidates(Reading.of(said), left) if fits_some else left[:0]
    if not narrowed:
        return _asked_again(question, answer, left), left
    if question.attribute == "month" and choice:
        reading = Reading.of(replace(reading.intent, times=()))  # the newest build of that month
    verdict = policy.decide(reading.refined(said), narrowed, rank, now)
    if verdict.entry:
        verdict = replace(verdict, why=f"You answered '{answer.strip()}'. {verdict.why}")
    return verdict, narrowed


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


def _asked_again(question: Question, answer: str, left: CardSelection) -> Verdict:
    lead = f"'{answer.strip()}' fits none of them. "
    again = replace(question, text=lead + question.text.removeprefix(lead))
    return Verdict(f"{lead}{len(left)} models fit.", question=again)
