"""The sentences that people read, in their language.

A sentence is written in English where it is said, with the names of its places; `sentences.yaml` in
the folder of each language has what stands for it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache
from pathlib import Path

from .data import read
from .languages import FOLDER, SENTENCES

ENGLISH = "en"
_LEAST_LETTERS = 7
"""A stored text is compared with sentences that have at least so many letters of their own."""
_PLACE = re.compile(r"\{(\w+)[^{}]*\}")
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


@contextmanager
def speaking(language: str | None) -> Iterator[None]:
    """Within it, sentences are in the language, if it is one of `languages()`; else in English.

    `language` is a tag such as "de", "zh-TW", or a list of them as in HTTP's Accept-Language.
    """
    token = _language.set(nearest(language))
    try:
        yield
    finally:
        _language.reset(token)


def nearest(language: str | None) -> str:
    """The language that is spoken to somebody who asks for `language`."""
    first = re.match(r"[a-z]+", (language or "").strip().lower())
    return first[0] if first and first[0] in languages() else ENGLISH


def languages() -> tuple[str, ...]:
    """The languages that sentences are there in, English first."""
    return (ENGLISH, *sorted(path.parent.name for path in _files()))


def spoken() -> str:
    """The language that is spoken now."""
    return _language.get()


def say(sentence: str, /, **places: object) -> str:
    """A sentence in the language that is spoken, with what stands in its places."""
    return sentences(_language.get()).get(sentence, sentence).format(**places)


def sentence(text: str, /) -> str:
    """The same text: marks a sentence that `say` gets later."""
    return text


def say_number(number: int, one: str, many: str, /, **places: object) -> str:
    """One of two sentences with the place {number}: that for 1, else that for other numbers."""
    return say(one if number == 1 else many, number=number, **places)


def listed(items: Sequence[str], last: str = "or") -> str:
    """A list in a sentence: "a, b or c", or "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    before = items[0]
    for item in items[1:-1]:
        before = say("{items}, {next}", items=before, next=item)
    if last == "and":
        return say("{items} and {last}", items=before, last=items[-1])
    return say("{items} or {last}", items=before, last=items[-1])


def phrase(pieces: Sequence[str]) -> str:
    """Words that stand side by side: "december watercolour"; with commas where no grammar joins
    them.
    """
    said = pieces[0] if pieces else ""
    for piece in pieces[1:]:
        said = say("{words} {more}", words=said, more=piece)
    return said


def quoted(words: str) -> str:
    """Words of the user, in quotes."""
    return say("'{words}'", words=words)


def month_of(when: date) -> str:
    """A month: "April 2025"."""
    return say("{month} {year}", month=_month(when), year=when.year)


def day_of(when: date) -> str:
    """A day: "11 April 2025"."""
    if when.day == 1:  # "1er avril 2025"
        return say("1 {month} {year}", month=_month(when), year=when.year)
    return say("{day} {month} {year}", day=when.day, month=_month(when), year=when.year)


def _month(when: date) -> str:
    return (
        say("January"),
        say("February"),
        say("March"),
        say("April"),
        say("May"),
        say("June"),
        say("July"),
        say("August"),
        say("September"),
        say("October"),
        say("November"),
        say("December"),
    )[when.month - 1]


def again(text: str) -> str:
    """A text that was said in English, such as one of the index, in the language that is spoken.

    What is no sentence of ours comes back as it is.
    """
    known = sentences(_language.get())
    if not known or text in known:
        return known.get(text, text)
    for pattern, translation in _patterns(_language.get()):
        if found := pattern.fullmatch(text):
            places = {name: again(value) for name, value in found.groupdict().items()}
            return translation.format(**places)
    about, colon, rest = text.partition(": ")  # "bear.safetensors: left out"
    return f"{about}{colon}{again(rest)}" if rest else text


@cache
def sentences(code: str) -> dict[str, str]:
    """English sentence -> the same in another language; empty for English."""
    return read(FOLDER / code / SENTENCES) if code != ENGLISH else {}


@cache
def _files() -> tuple[Path, ...]:
    return tuple(FOLDER.glob(f"*/{SENTENCES}"))


@cache
def _patterns(code: str) -> list[tuple[re.Pattern[str], str]]:
    """(what texts of a sentence look like, its translation), the longest sentences first."""
    own = {one: re.sub(r"[\W\d_]", "", _PLACE.sub("", one)) for one in sentences(code)}
    return [
        (_pattern(one), _PLACE.sub(r"{\1}", sentences(code)[one]))
        for one in sorted(own, key=lambda one: -len(own[one]))
        if len(own[one]) >= _LEAST_LETTERS and len(own[one]) < len(one)
    ]


def _pattern(sentence: str) -> re.Pattern[str]:
    """The places are groups; one that stands twice has the same text twice."""
    seen: set[str] = set()
    pieces = []
    at = 0
    for place in _PLACE.finditer(sentence):
        pieces.append(_literal(sentence[at : place.start()]))
        name, at = place[1], place.end()
        pieces.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+)")
        seen.add(name)
    return re.compile("".join([*pieces, _literal(sentence[at:])]), re.DOTALL)


def _literal(text: str) -> str:
    return re.escape(text.replace("{{", "{").replace("}}", "}"))
