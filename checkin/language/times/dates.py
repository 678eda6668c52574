"""Times named in a request, as calendar periods before now: "last week", "spring sketch", "between March and May"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from ...lexicon.english import ON_FROM_THERE, any_of, one_of, phrases, rows, word_set
from ...lexicon.spelling import plain
from . import periods
from .periods import MONTHS, SEASONS, Period
from .simple_times import SIMPLE_TIMES
from .time_words import MONTH_NAMES, SHORT_MONTHS, WHICH_WORDS

Noun = Literal["model", "style", "subject", "other", "none"]


@dataclass(frozen=True)
class Time:
    """One time found: any of its periods is meant; it stands at text[start:end]."""

    periods: tuple[Period, ...]
    start: int
    end: int


_one_of = partial(one_of, "times")
_SCENERY = re.compile(rf"\s+({_one_of('scenery')})\b")
_STRICT_LEFT = word_set("times", "left of times")
_PLAIN_LEFT = word_set("times", "maybe left of times")
_SCENE_LEFT = word_set("times", "left of scenery")
_AND_ANOTHER = re.compile(rf"\s*(?:and|or|to|-|,)\s*(?:{MONTH_NAMES}|{any_of(SEASONS)})\b")
_OF_A_WHOLE = re.compile(rf"\b{_one_of('left of a whole')}\s+of(?:\s+the)?\s*$")


# A found time stands in the text as a mark of the same length: position of its periods in a list, then filling.
_MARK = "\ue000([\ue100-\uf0ff])\ue001*"
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_THE = r"(?:the\s+)?"
_LISTED = r"(?:the\s+)?[\ue000-\uf0ff]+\s*(?:$|[,.;:!?]|(?:or|and)\b)"
"""What follows a comma in a list: "March, April or May", but not "in May, spring flowers"."""


def _mark(index: int, length: int) -> str:
    return ("\ue000" + chr(0xE100 + index)).ljust(length, "\ue001")


_PARTS = rows("times", "parts")


def _parts_of(name: str, found: list[tuple[Period, ...]], now: datetime) -> tuple[Period, ...]:
    return tuple(periods.begun(one, name, now) for one in found[0])


def _beside(
    unit: str, count: int, side: str, found: list[tuple[Period, ...]], now: datetime
) -> tuple[Period, ...]:
    """Such as "the week before Easter", "two days after Christmas"."""
    return tuple(periods.beside(one, unit, count, side == "after", now) for one in found[0])


def _operators() -> Iterator[
    tuple[re.Pattern[str], Callable[[list[tuple[Period, ...]], datetime], tuple[Period, ...]]]
]:
    """What stands around a time and changes it, in the order of binding: (pattern, new periods from those marked)."""
    for name, said in _PARTS.items():
        yield (
            re.compile(rf"(?<!\w){any_of(said)}(?:[\s-]+(?:part\s+)?(?:of|in)?\s*{_THE}){_MARK}"),
            partial(_parts_of, name),
        )
    for side in ("before", "after"):
        for unit in ("day", "weekend", "week", "fortnight", "month"):
            yield (
                re.compile(rf"(?<!\w)(?:{_THE}|an?\s+|one\s+){unit}\s+{side}\s+{_THE}{_MARK}"),
                partial(_beside, unit, 1, side),
            )
            yield (
                re.compile(rf"(?<!\w)(?:two|2|a\s+couple\s+of)\s+{unit}s\s+{side}\s+{_THE}{_MARK}"),
                partial(_beside, unit, 2, side),
            )
        soon = rf"(?<!\w){_one_of('soon')}\s+{side}\s+{_THE}{_MARK}"
        yield re.compile(soon), partial(_beside, "fortnight", 1, side)
    yield (
        re.compile(rf"(?<!\w)(?:in\s+)?{_THE}{_one_of('leading to')}\s+to\s+{_THE}{_MARK}"),
        partial(_beside, "fortnight", 1, "before"),
    )
    yield (
        re.compile(rf"(?<!\w){_THE}week\s+of\s+{_THE}{_MARK}"),
        lambda found, now: (
            (periods.week(found[0][0].start.date(), now),) if found[0][0].start else found[0]
        ),
    )
    yield (
        re.compile(rf"(?<!\w)(?:{_one_of('sometime')}\s+)?{_one_of('around')}\s+{_THE}{_MARK}"),
        lambda found, now: tuple(periods.around(one) for one in found[0]),
    )
    span = lambda found, now: (periods.through(found[0][0], found[1][-1]),)  # noqa: E731
    yield re.compile(rf"(?<!\w)between\s+{_THE}{_MARK}\s+and\s+{_THE}{_MARK}"), span
    yield (
        re.compile(rf"(?<!\w)(?:from\s+)?{_THE}{_MARK}\s*{_one_of('to')}\s*{_THE}{_MARK}"),
        span,
    )
    yield (
        re.compile(rf"(?<!\w)(?:{_one_of('before')}\s+|pre[\s-])\s*{_THE}{_MARK}"),
        lambda found, now: (Period(None, found[0][0].start),),
    )
    yield (
        re.compile(rf"(?<!\w)(?:{_one_of('after')}\s+|post[\s-])\s*{_THE}{_MARK}"),
        lambda found, now: (Period(found[0][-1].end, None),),
    )
    onwards = lambda found, now: (Period(found[0][0].start, None),)  # noqa: E731
    yield re.compile(rf"(?<!\w){_one_of('since')}\s+{_THE}{_MARK}"), onwards
    yield (
        re.compile(
            rf"(?<!\w){_one_of('starting')}\s+(?:in\s+|from\s+)?{_THE}{_MARK}\s+"
            rf"(?:{_one_of('onwards')}(?!\w)|{ON_FROM_THERE})"
        ),
        onwards,
    )
    yield (
        re.compile(rf"(?<!\w){_one_of('until')}\s+{_THE}{_MARK}"),
        lambda found, now: (Period(None, found[0][-1].end),),
    )
    yield (
        re.compile(
            rf"{_MARK}(?:\s*,\s*(?:(?:or|and)\s+|(?={_LISTED}))|\s+(?:or|and)\s+|\s*/\s*)"
            rf"(?:from\s+|in\s+)?{_THE}{_MARK}"
        ),
        lambda found, now: found[0] + found[1],
    )
    yield (
        re.compile(rf"(?<!\w){_one_of('links')}\s+{_THE}{_MARK}"),
        lambda found, now: found[0],
    )


_OPERATORS = tuple(_operators())


def _is_scenery(match: re.Match[str], noun: Callable[[str], Noun]) -> bool:
    """Whether what follows a month, season or holiday makes a picture of it: "winter night", "Christmas tree"."""
    following = _SCENERY.match(match.string, match.end())
    if not following:
        return False
    return "holiday" in match.groupdict() or (
        following[1] != "tree" and noun(following[1]) != "subject"
    )


def _is_time(text: str, start: int, end: int, noun: Callable[[str], Noun]) -> bool:
    """Whether a word that is also something else ("may", "march", "spring", "Christmas") is a time where it stands."""
    left = re.findall(r"[\w']+|,", text[:start])
    follows = re.match(r"\s+([\w'-]+(?:\s+[\w'-]+)?)", text[end:])
    right: Noun = noun(follows.group(1)) if follows else "none"
    before = left[-1] if left else ""
    if before == "the" and len(left) > 1 and left[-2] in _STRICT_LEFT | _PLAIN_LEFT:
        before = left[-2]
    part = _OF_A_WHOLE.search(text[:start])
    if part or before in _STRICT_LEFT or _AND_ANOTHER.match(text, end):
        return True
    if re.search(r"\ue001\s*(?:,|,?\s*or|and)\s*$", text[:start]):  # "April or May"
        return True
    if before in _PLAIN_LEFT:
        return right in ("model", "none") or (before == "in" and right == "style")
    if before in _SCENE_LEFT:
        return False
    return right in ("model", "style", "subject") or (
        right == "none" and before in ("", ",") and not text[end:].strip()
    )


_CERTAIN_MONTHS = [
    name for name in (*MONTHS, *SHORT_MONTHS) if name not in phrases("times", "doubtful months")
]
_ALWAYS = re.compile(
    rf"\b{any_of(_CERTAIN_MONTHS, phrases('times', 'certain'))}\b|20\d\d|'\d\d|"
    rf"^{any_of(*WHICH_WORDS.values())}\s"
)


def find_times(
    text: str, now: datetime, noun: Callable[[str], Noun] = lambda words: "none"
) -> list[Time]:
    """All times in a request, in order.

    `now` must have a zone: all periods are in it, and a month or season without a year is the latest that has begun.
    `noun` says what the one or two words after a doubtful word ("may", "spring") are: a "model" or picture word,
    a "style" or a "subject" of the repository, an"other" content word, or "none".
    """
    if now.tzinfo is None:
        raise ValueError("now must have a time zone, as in datetime.now().astimezone()")
    text = _PRIVATE.sub(" ", plain(text))
    found: list[tuple[Period, ...]] = []
    for pattern, handler, doubtful in SIMPLE_TIMES:
        position = 0
        while match := pattern.search(text, position):
            start, end = match.span()
            position = end
            certain = not doubtful or _ALWAYS.search(match.group())
            if doubtful and _is_scenery(match, noun):
                continue
            if not (certain or _is_time(text, start, end, noun)):
                continue
            meant = handler(match, now)
            if meant is None:
                continue
            words = re.sub(r"'s?$", "", match.group())
            found.append(
                tuple(one.named(words) for one in (meant if isinstance(meant, tuple) else (meant,)))
            )
            text = text[:start] + _mark(len(found) - 1, end - start) + text[end:]
    return _combine(text, found, now)


def _combine(text: str, found: list[tuple[Period, ...]], now: datetime) -> list[Time]:
    """Apply what stands around the marked times until nothing changes, and read off what is left."""
    for pattern, change in _OPERATORS:
        while match := pattern.search(text):
            parts = [found[ord(index) - 0xE100] for index in match.groups()]
            changed = change(parts, now)
            if changed not in (parts[0], parts[0] + parts[-1]):
                changed = tuple(one.named(_spoken(match.group(), found)) for one in changed)
            found.append(changed)
            text = (
                text[: match.start()]
                + _mark(len(found) - 1, match.end() - match.start())
                + text[match.end() :]
            )
    return [Time(found[ord(m.group(1)) - 0xE100], *m.span()) for m in re.finditer(_MARK, text)]


def _spoken(text: str, found: list[tuple[Period, ...]]) -> str:
    """Marked text in the user's words again."""
    spoken = re.sub(_MARK, lambda m: found[ord(m.group(1)) - 0xE100][0].words, text)
    return re.sub(r"\s+", " ", spoken).strip()
