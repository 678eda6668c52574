"""Which choice of a question an answer names, in the words of a person who sees the choices."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...lexicon.english import one_of, rows, word_set
from ...lexicon.function_words import FUNCTION, MODEL_WORDS, PICTURE_WORDS
from ...lexicon.spelling import plain, split, stems
from ..candidates.grounded import Grounded
from ..decision import Choice, Question
from .question import NEWEST

_PLACES = {word: place for place, words in rows("answers", "places").items() for word in words}
_NUMBERS = ("first", "second", "third", "fourth")
_THINGS = word_set("answers", "things")
_TALK = (FUNCTION | word_set("answers", "talk")) - _PLACES.keys()
_EMPTY = _TALK | _THINGS | MODEL_WORDS | PICTURE_WORDS
_ANY = re.compile(rf"\b{one_of('answers', 'any')}\b")
_NONE = re.compile(rf"\b{one_of('answers', 'none')}\b")
_NOT = re.compile(rf"(?:{one_of('answers', 'not')}\b\s*)+(?P<rest>.+)")
_SHOWS = 0.3
"""The least strength of a word by which an answer points at a model: it is in its pictures."""


def is_any(answer: str) -> bool:
    """Whether the answer leaves the choice open, and says nothing else: "any", "you choose"."""
    said = plain(answer)
    return _ANY.search(said) is not None and not _words(_ANY.sub(" ", said), _EMPTY)


def is_none(answer: str) -> bool:
    """Whether the answer says that none of the choices is meant."""
    said = plain(answer)
    alone = " ".join(re.findall(r"[\w']+", said))
    return alone in word_set("answers", "refusals") or _NONE.search(said) is not None


def labelled(question: Question, answer: str) -> Choice | None:
    """The choice with this label, or with what stands for it in the user's language; a base model
    behind it may be left out: "luna" for "luna (SDXL)".
    """
    said = _as_said(answer)
    for read in (_as_said, _without_base):
        found = [one for one in question.choices if said in (read(one.label), read(one.shown))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def chosen(case: Grounded, question: Question, answer: str) -> Choice | None:
    """The choice of which an answer says no more than its label or its number."""
    numbered = named_choice(case, question, answer) if answer.strip().isdigit() else None
    return labelled(question, answer) or numbered


def _as_said(text: str) -> str:
    return plain(text).strip().rstrip(".!")


def _without_base(label: str) -> str:
    return plain(label).partition(" (")[0]


def named_choice(case: Grounded, question: Question, answer: str) -> Choice | None:
    """The choice that an answer names by its place ("2", "the left one"), by words that only its
    label has, by its age among two ("the older one"), or by what it is not ("not the first").
    """
    real = [one for one in question.choices if one.label != NEWEST]
    others = _NOT.fullmatch(plain(answer).strip())
    if others:
        unwanted = named_choice(case, question, others["rest"])
        left = [one for one in real if one is not unwanted]
        return left[0] if unwanted and len(left) == 1 else None
    return (
        _in_place(question, real, answer)
        or _by_label(question, answer)
        or _by_age(case, real, answer)
    )


def shown_choice(case: Grounded, question: Question, answer: str) -> Choice | int:
    """The choice whose models have the most words of an answer, at least half of them; else how
    many choices have as many.
    """
    words = list(dict.fromkeys(stems(" ".join(_words(plain(answer), _EMPTY)))))
    real = [one for one in question.choices if one.label != NEWEST]
    if not words:
        return 0
    strengths = [case.grounder.strength_of(word) >= _SHOWS for word in words]
    position_of = case.left.catalogue.position_of
    met = [
        sum(bool(one[[position_of[card] for card in choice.card_ids]].any()) for one in strengths)
        for choice in real
    ]
    most = max(met)
    if 2 * most < len(words):
        return 0
    best = [choice for choice, count in zip(real, met, strict=True) if count == most]
    return best[0] if len(best) == 1 else len(best)


def is_known(case: Grounded, answer: str) -> bool:
    """Whether an answer has a word that the library or an English dictionary knows."""
    from ...lexicon.spelling import is_english

    words = _words(plain(answer), _EMPTY)
    return any(is_english(word) or case.grounder.strength_of(word).any() for word in words)


def _words(text: str, without: frozenset[str]) -> list[str]:
    """The words of an answer, without those that say nothing."""
    return [word.text for word in split(text) if word.text not in without]


def _in_place(question: Question, real: Sequence[Choice], answer: str) -> Choice | None:
    words = _words(plain(answer), _TALK - _THINGS)
    alone = [word for word in words if word not in _THINGS] or words
    if alone == ["one"] and len(split(answer)) == 1:
        return question.choices[0]
    place = _PLACES.get(alone[0]) if len(alone) == 1 else None
    if place == "middle":
        return real[1] if len(real) == 3 else None
    if place == "last":
        return real[-1]
    number = _NUMBERS.index(place) if place else len(question.choices)
    return question.choices[number] if number < len(question.choices) else None


def _by_label(question: Question, answer: str) -> Choice | None:
    words = {*stems(" ".join(_words(plain(answer), _TALK)))} or {*stems(answer)}
    found = [one for one in question.choices if words and words <= {*stems(one.label)}]
    return found[0] if len(found) == 1 else None


def _by_age(case: Grounded, real: Sequence[Choice], answer: str) -> Choice | None:
    """The older or the newer of two choices, each as old as its newest model."""
    words = {*_words(plain(answer), _EMPTY - _AGES.keys())}
    ages = {_AGES[word] for word in words if word in _AGES}
    if len(real) != 2 or len(ages) != 1 or not words <= _AGES.keys():
        return None
    columns = case.left.columns
    positions = [case.left.with_ids(one.card_ids).positions for one in real]
    if not all(columns.dated[one].any() for one in positions):
        return None
    made = [int(columns.created_us[one].max()) for one in positions]
    newest = int(np.argmax(made))
    return None if made[0] == made[1] else real[newest if ages == {"newer"} else 1 - newest]


_AGES = {word: age for age in ("older", "newer") for word in word_set("answers", age)}
