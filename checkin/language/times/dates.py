"""Times named in a request, as calendar periods before now: "last week", "spring sketch", "between March and May"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from ...lexicon.spelling import plain
from . import periods
from .periods import MONTHS, SEASONS, Period
from .simple_times import SIMPLE_TIMES
from .time_words import MONTH_NAMES

Noun = Literal["model", "style", "subject", "other", "none"]


@dataclass(frozen=True)
class Time:
    """One time found: any of its periods is meant; it stands at text[start:end]."""

    periods: tuple[Period, ...]
    start: int
    end: int


_SCENE_NOUNS = (
    "night|evening|morning|afternoon|day|sky|light|sunset|sunrise|snow|rain|weather|sun|storm|fog|breeze|air|colou?rs?|"
    "lights?|hat|eggs?|bunny|party|decorations?|costume|sweater|jumper|presents?|gifts?|dinner|market|card|stocking|"
    "pumpkins?|leaves|leaf|foliage|forest|meadow|field|garden|landscape|scenery|scene|themed?|vibes?|wonderland|blossoms?"
)
_STRICT_LEFT = frozenset(
    "from since before after until till last this next past early mid late around about between during by around "
    "previous trained made built created finished mid- than pre post".split()
)
_PLAIN_LEFT = frozenset("in of at over on or and to".split())
_SCENE_LEFT = frozenset(
    "with among amongst under near through beside behind against into covered by".split()
)


# A found time stands in the text as a mark of the same length: position of its periods in a list, then filling.
_MARK = "\ue000([\ue100-\uf0ff])\ue001*"
_THE = r"(?:the\s+)?"


def _mark(index: int, length: int) -> str:
    return ("\ue000" + chr(0xE100 + index)).ljust(length, "\ue001")


_PARTS = (
    (r"(?:early|beginning|start)", "early"),
    (r"(?:mid|middle)", "mid"),
    (r"(?:late|end)", "late"),
    (r"(?:first|1st)\s+half", "first"),
    (r"(?:second|2nd|latter|last)\s+half", "second"),
)


def _parts_of(name: str, found: list[tuple[Period, ...]], now: datetime) -> tuple[Period, ...]:
    return tuple(periods.begun(periods.part(one, name), now) for one in found[0])


def _beside(
    unit: str, count: int, side: str, found: list[tuple[Period, ...]], now: datetime
) -> tuple[Period, ...]:
    """Such as "the week before Easter", "two days after Christmas"."""
    return tuple(periods.beside(one, unit, count, side == "after", now) for one in found[0])


def _operators() -> Iterator[
    tuple[re.Pattern[str], Callable[[list[tuple[Period, ...]], datetime], tuple[Period, ...]]]
]:
    """What stands around a time and changes it, in the order of binding: (pattern, new periods from those marked)."""
    for pattern, name in _PARTS:
        yield (
            re.compile(rf"(?<!\w){pattern}(?:[\s-]+(?:part\s+)?(?:of|in)?\s*{_THE}){_MARK}"),
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
        soon = rf"(?<!\w)(?:just|right|shortly|immediately|directly|soon|not\s+long|a\s+bit|a\s+little)\s+{side}\s+{_THE}{_MARK}"
        yield re.compile(soon), partial(_beside, "fortnight", 1, side)
    yield (
        re.compile(rf"(?<!\w)(?:in\s+)?{_THE}(?:run[\s-]?up|lead[\s-]?up)\s+to\s+{_THE}{_MARK}"),
        partial(_beside, "fortnight", 1, "before"),
    )
    yield (
        re.compile(rf"(?<!\w){_THE}week\s+of\s+{_THE}{_MARK}"),
        lambda found, now: (
            (periods.week(found[0][0].start.date(), now),) if found[0][0].start else found[0]
        ),
    )
    yield (
        re.compile(
            rf"(?<!\w)(?:sometime\s+|somewhere\s+|right\s+)?(?:around|about|circa|roughly|close\s+to)\s+{_THE}{_MARK}"
        ),
        lambda found, now: tuple(periods.around(one) for one in found[0]),
    )
    span = lambda found, now: (Period(found[0][0].start, found[1][-1].end),)  # noqa: E731
    yield re.compile(rf"(?<!\w)between\s+{_THE}{_MARK}\s+and\s+{_THE}{_MARK}"), span
    yield (
        re.compile(
            rf"(?<!\w)(?:from\s+)?{_THE}{_MARK}\s*(?:to|through|thru|until|till|up to|-)\s*{_THE}{_MARK}"
        ),
        span,
    )
    yield (
        re.compile(
            rf"(?<!\w)(?:(?:before|prior\s+to|earlier\s+than|older\s+than|preceding)\s+|pre[\s-])\s*{_THE}{_MARK}"
        ),
        lambda found, now: (Period(None, found[0][0].start),),
    )
    yield (
        re.compile(
            rf"(?<!\w)(?:(?:after|later\s+than|newer\s+than|more\s+recent\s+than|following)\s+|post[\s-])\s*{_THE}{_MARK}"
        ),
        lambda found, now: (Period(found[0][-1].end, None),),
    )
    onwards = lambda found, now: (Period(found[0][0].start, None),)  # noqa: E731
    yield re.compile(rf"(?<!\w)(?:ever\s+)?since\s+{_THE}{_MARK}"), onwards
    yield (
        re.compile(
            rf"(?<!\w)(?:from|starting)\s+(?:in\s+|from\s+)?{_THE}{_MARK}\s+(?:on|onwards?)(?!\w)"
        ),
        onwards,
    )
    yield (
        re.compile(
            rf"(?<!\w)(?:until|till|up\s+to|up\s+until|by|no\s+later\s+than)\s+{_THE}{_MARK}"
        ),
        lambda found, now: (Period(None, found[0][-1].end),),
    )
    yield (
        re.compile(
            rf"{_MARK}(?:\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+|\s*/\s*)(?:from\s+|in\s+)?{_THE}{_MARK}"
        ),
        lambda found, now: found[0] + found[1],
    )
    yield (
        re.compile(rf"(?<!\w)(?:from|in|on|at|over|during|of|for|back\s+in)\s+{_THE}{_MARK}"),
        lambda found, now: found[0],
    )


_OPERATORS = tuple(_operators())


def _is_scenery(match: re.Match[str], noun: Callable[[str], Noun]) -> bool:
    """Whether what follows a month, season or holiday makes a picture of it: "winter night", "Christmas tree"."""
    following = re.match(rf"\s+({_SCENE_NOUNS}|tree)\b", match.string[match.end() :])
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
    part = re.search(
        r"\b(?:half|end|start|beginning|middle|part|week|month|rest)\s+of(?:\s+the)?\s*$",
        text[:start],
    )
    if (
        part
        or before in _STRICT_LEFT
        or re.match(rf"\s*(?:and|or|to|-|,)\s*(?:{MONTH_NAMES}|{'|'.join(SEASONS)})\b", text[end:])
    ):
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


_ALWAYS = re.compile(
    rf"\b(?:{'|'.join(name for name in MONTHS if name not in ('march', 'may'))}|eve|day|weekend|time|black friday|cyber monday)\b|20\d\d|'\d\d|"
    r"^(?:last|this|next|previous|past)\s|last year|this year|holidays|new year|\b(?:jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
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
    text = plain(text)
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
