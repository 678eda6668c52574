"""Further readings of a request: of its times, and of times that are names of models too."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from ..catalog.subject_key import Match, SubjectKey
from ..catalog.vocabulary import Vocabulary
from ..lexicon.base_models import parent_of
from ..lexicon.spelling import stems
from .intent import Intent, Term, TimeTerm
from .times.holidays import OF_ONE_WORD
from .times.periods import MONTHS, SEASONS, WEEKDAYS, Period, month

_MONTH_AND_NUMBER = re.compile(rf"^({'|'.join(MONTHS)}) '?(\d\d)$", re.IGNORECASE)
_LAST = re.compile(rf"^last (?:{'|'.join((*MONTHS, *SEASONS))})$", re.IGNORECASE)
_ROLLING = {"last week": timedelta(days=7), "last month": timedelta(days=31)}
"""What people also say of the days up to now."""
_TIMES = OF_ONE_WORD | {*MONTHS, *SEASONS, *WEEKDAYS} | {name[:3] for name in MONTHS}
_NAMES = frozenset(stems(name)[0] for name in _TIMES)
_PLAIN = re.compile(r"^(?:(?:from|of|in|at|on|for)\s+)?(?:the\s+)?([a-z]+)(?:'s?)?$", re.IGNORECASE)


def calls_a_model(time: str, vocabulary: Vocabulary) -> bool:
    """Whether the words of a time also stand in the name of a model: "christmas", "april"."""
    found = _PLAIN.match(time.strip())
    word = stems(found[1])[0] if found else ""
    return word in _NAMES and word in vocabulary.personal.columns.identity.values_set


def other_readings(intent: Intent, now: datetime) -> list[Intent]:
    """The intent, read in another way.

    "November 23" may be a month of 2023, "last summer" that of the year before, "last week" the
    seven days up to now; "from this morning" may say when a model was made, not when it was used;
    "on NoobAI" may be drawn with LoRAs for Illustrious; people also call a LoRA a checkpoint, and
    files of mixes are not always called so; "epoch 6, the final one came out waxy" wants no final
    one; "when he was two" may be drawn with a model of any age; and "white roses instead of the
    pink ones" may speak of the picture ("not pip" does not).
    """
    found = []
    others = [_other(term, now) for term in intent.times]
    if any(others):
        times = tuple(other or term for other, term in zip(others, intent.times, strict=True))
        found.append(replace(intent, times=times))
    if intent.used and intent.times:
        found.append(replace(intent, used=None))
    if parent := parent_of(intent.base_model or ""):
        found.append(replace(intent, base_model=parent))
    if intent.kind == "mix":
        found.append(replace(intent, kind="checkpoint"))
    if intent.kind:
        found.append(replace(intent, kind=None))
    wanted = intent.builds.wanted
    finals = {one for one in wanted if one.startswith("final")}
    ages = {one for one in wanted if one.startswith("age")}
    for some in (finals if finals < wanted else (), ages):
        if some:
            builds = replace(intent.builds, wanted=wanted.difference(some))
            found.append(replace(intent, builds=builds))
    names = tuple(filter(_is_a_name, intent.unwanted))
    if names != intent.unwanted:
        found.append(replace(intent, unwanted=names))
    return found


def _is_a_name(term: Term) -> bool:
    """Whether a term is what a model is called: it stays unwanted."""
    return any(isinstance(key, SubjectKey) and key.match is Match.NAME for key in term.keys)


def _other(term: TimeTerm, now: datetime) -> TimeTerm | None:
    if found := _MONTH_AND_NUMBER.match(term.words):
        year = 2000 + int(found[2])
        number = MONTHS.index(found[1].casefold()) + 1
        return replace(term, periods=(month(year, number, now),)) if year <= now.year else None
    if _LAST.match(term.words):
        return replace(term, periods=tuple(_year_before(one) for one in term.periods))
    if days := _ROLLING.get(term.words.casefold()):
        return replace(term, periods=(Period(now - days, now, term.words.casefold()),))
    return None


def _year_before(period: Period) -> Period:
    start, end = period.start, period.end
    return Period(
        start and start.replace(year=start.year - 1),
        end and end.replace(year=end.year - 1),
        period.words,
    )
