"""The times that a request says of the model: "from last winter", but not "in a winter storm"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ..catalog.vocabulary import Vocabulary
from ..lexicon import (
    FUNCTION,
    MODEL_WORDS,
    NEGATIONS,
    PICTURE_WORDS,
    PREPOSITIONS,
    STYLES,
    SUBJECTS,
)
from ..lexicon.english import any_of, one_of, phrases
from ..lexicon.spelling import split
from .gates import is_of_model
from .intent import TimeTerm
from .model_phrases import is_verb
from .origins import Span
from .readings import calls_a_model
from .times.dates import Noun, Time, find_times
from .times.periods import MONTHS, SEASONS, WEEKDAYS

_FOR = re.compile(r"\bfor (?:the|my|our|his|her|their|a|an|this|next)\s+\S+$")
_FOR_ONE = re.compile(r"[,.;] for [^\d\W]+\W*$")
_PRODUCT = re.compile(rf"\s+{one_of('words', 'made for')}\b")
_FIRST_YEAR = 2022
"""No model that people fine-tune was made before the summer of this year."""
_YEAR_OF = re.compile(r"(?:of\s+)?20\d\d")
_DAY_OF = re.compile(rf"(?:of\s+)?(?:\d\d?\D|20\d\d\W\d|{any_of(MONTHS)}\W+\d)")
_STOP = re.compile(r"\s*[,.;:!?\n]")
_CLAUSE_ENDS = re.compile(r"\s*(?:[,.;:!?\n]|$)")
_PLACES = PREPOSITIONS - {"of", "from", "for", "with"}
_NO_DAY = re.compile(r"\b(\d{1,2}(?:st|nd|rd|th))\s*$")
_NOT_WHEN = re.compile(rf"\b{one_of('words', 'not before')}(?:\s+for)?(?:\s+(?:the|one))*\s*$")
_PART_OF_TIME = re.compile(rf"(?:early|mid|late)[ -](?:{'|'.join((*MONTHS, *SEASONS))})$", re.I)
_CAPITALS = re.compile(rf"\b{any_of(phrases('times', 'capitals'), MONTHS, WEEKDAYS)}\b")


def noun_of(words: str, vocabulary: Vocabulary) -> Noun:
    """What the first one or two of some words are."""
    stems = tuple(word.stem for word in split(words))
    for phrase in (stems[:2], stems[:1]):
        if phrase in SUBJECTS or vocabulary.subject(phrase):
            return "subject"
        if phrase in STYLES or vocabulary.style(phrase) is not None:
            return "style"
    if not stems:
        return "none"
    if stems[0] in MODEL_WORDS | PICTURE_WORDS:
        return "model"
    return "none" if stems[0] in FUNCTION | NEGATIONS else "other"


def said_times(
    text: str, vocabulary: Vocabulary, now: datetime, used: bool, are_names: bool
) -> tuple[tuple[TimeTerm, ...], list[Span], str, tuple[str, ...]]:
    """The times of a request, where they stand, the text with their words blanked, and days that no
    month has ("31st" of February). The first one says when the model was used, if `used`.
    """
    terms: list[TimeTerm] = []
    dated: list[Span] = []
    no_day = []
    for time in find_times(text, now, lambda words: noun_of(words, vocabulary)):
        negation = _NOT_WHEN.search(text[: time.start])
        start = negation.start() if negation else time.start
        if are_names and calls_a_model(_spoken(time), vocabulary):
            continue
        if day := _NO_DAY.search(text[:start]):
            no_day.append(day[1])  # the month alone would be a guess
        elif not (negation or (used and not terms) or _is_of_model(time, text, vocabulary)):
            if not any(map(str.isdigit, text[time.start : time.end])):
                continue  # "Christmas" may be a word of some model
        else:
            terms.append(TimeTerm(_spoken(time), time.periods, negation is not None))
            dated.append((start, time.end))
        text = text[:start] + " " * (time.end - start) + text[time.end :]
    return tuple(terms), dated, text, tuple(no_day)


def _is_of_model(time: Time, text: str, vocabulary: Vocabulary) -> bool:
    words = text[time.start : time.end]
    early = all(one.end is not None and one.end.year <= _FIRST_YEAR for one in time.periods)
    if early and words[:4].isdecimal():
        return False  # "2006 party camera", but not "moss from 2019"
    year = re.search(r"(?:19|20)\d\d", words) is not None
    if _FOR.search(text[: time.end]) and _PRODUCT.match(text, time.end):
        return False  # "for the January page"
    if _FOR_ONE.search(text[: time.end]):
        return False  # ", for January"
    if _PART_OF_TIME.match(words) and _alone(text, time) and _PLACES & _words(text[: time.start]):
        return False  # "ana in the garden, late August"
    following = split(text[time.end :])[:1]
    ends = (
        _STOP.match(text, time.end)
        or noun_of(text[time.end :], vocabulary) == "none"
        or any(is_verb(word.text) for word in following)
    )
    if ends and _YEAR_OF.match(words) and _ends_with_a_name(text[: time.start], vocabulary):
        return True
    if ends and _DAY_OF.match(words) and _is_day(time) and _names_no_place(text[: time.start]):
        return True
    return is_of_model(text, time.start, time.end, year)


def _alone(text: str, time: Time) -> bool:
    """Whether a time is a clause of its own."""
    before = text[: time.start].rstrip()
    return before.endswith((",", ";", ".")) and bool(_CLAUSE_ENDS.match(text, time.end))


def _words(text: str) -> set[str]:
    return {word.text for word in split(text)}


def _ends_with_a_name(words: str, vocabulary: Vocabulary) -> bool:
    """Whether words without a place end with one that calls a model: "my nelson"."""
    clause = split(_STOP.split(words)[-1])
    names = vocabulary.personal.columns.identity.values_set
    last = clause[-1].stem if clause else ""
    return last in names - FUNCTION and _names_no_place(words)


def _names_no_place(words: str) -> bool:
    return _PLACES.isdisjoint(_words(_STOP.split(words)[-1]))


def _is_day(time: Time) -> bool:
    return all(one.start and one.end == one.start + timedelta(days=1) for one in time.periods)


def _spoken(time: Time) -> str:
    """The user's words for a time, months and days with their capitals."""
    words = " or ".join(dict.fromkeys(period.words for period in time.periods))
    return _CAPITALS.sub(lambda match: match.group().title(), words)
