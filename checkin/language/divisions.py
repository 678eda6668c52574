"""Requests that add models in words of their own: "on my mix checkpoint", "+ the hand fixer".

What is added is cut out and read like a request; the rest is read without it. The same words in a
scene ("a bear on the grass") add nothing: whether "on ragnarok" does, the library tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..lexicon import CONJUNCTIONS, PREPOSITIONS, SPOKEN_BASE_MODELS, TEMPORAL
from ..lexicon.english import any_of, one_of, phrases
from ..lexicon.model_kinds import MIXES
from ..lexicon.spelling import plain
from .gates import OWN_BUILD, is_refused
from .intent import Added, Builds, Division, Intent, Said

_STOPS = any_of(PREPOSITIONS - {"past"}, CONJUNCTIONS, TEMPORAL, phrases("models", "not added"))
_WORD = rf"(?!{_STOPS}\b)\w(?:[\w'-]|\.(?=\w))*"
_THE = r"(?:the|my|our|that)"
_NAMED = re.compile(
    rf"(?:\b{one_of('models', 'added by')}|[+&])\s+(?P<words>{_THE}\s+(?:{_WORD}\s+){{1,5}}"
    rf"{one_of('models', 'added kinds')})\b(?:\s+on\s+(?:it|him|her|them|top)\b)?"
)
"""'With the lightning lora', 'put the dirt slider on it'."""
_PLUS = re.compile(
    rf"[+&]\s*(?P<words>{_THE}\s+{_WORD}(?:\s+{_WORD}){{0,3}})\s*(?=$|[,.;:!?()\n+&]|-\s)"
)
_ON = re.compile(
    rf"(?:^|[,;(]|\s)\s*on\s+(?:(?:{_THE}|{one_of('models', 'plain')})\s+)*"
    rf"(?P<words>{_WORD}(?:\s+{_WORD}){{0,3}})\s*"
    rf"(?=$|[,.;:!?()\n+&]|-\s|{one_of('models', 'added by')}\b)"
)
_MIX = re.compile(
    rf"(?:^|[,.;:(])\s*(?:{one_of('models', 'added by')}\s+)?"
    rf"(?P<words>(?:{_THE}\s+)?(?:{_WORD}\s+){{0,3}}{any_of(MIXES)}"
    rf"(?:\s+(?:v\d+|xl|{'|'.join(SPOKEN_BASE_MODELS.values())}"
    rf"|{one_of('models', 'kinds', 'checkpoint')})){{0,3}})\s*(?=$|[,.;:!?()\n+&]|-\s)"
)
"""A clause that says no more than a checkpoint: "my own mix v2, ..."."""
_STYLE = re.compile(rf"(?:\b(?:in|{one_of('models', 'added by')})\s+)?\b(?P<words>{OWN_BUILD})")
_KIND = re.compile(rf"\b{one_of('models', 'kinds', 'checkpoint')}$")
_BESIDE = re.compile(rf"\s(?:{one_of('beside', 'links')})\s+(?P<words>(?:my|our)\s.*)", re.DOTALL)
"""'The latest bear and my cat in the park'."""
_BUILDS = ("version", "time")
_CLAUSE_ENDS = re.compile(r"\s*(?:$|[,.;:!?()\n])")
_MOST = 4
"""The most models that one request adds."""


@dataclass(frozen=True)
class _Found:
    start: int
    end: int
    words: str
    sure: bool


def divisions_of(intent: Intent, parse: Callable[[str], Intent]) -> tuple[Division, ...]:
    """The ways to divide a request, the one that adds most first; empty if it adds nothing.

    What bounds the model that is wanted ("between pip blue and the watercolour lora") adds none,
    nor does a helper that is asked for by what it does.
    """
    request = intent.request
    text = plain(request)
    for said in intent.said:
        if said.what in ("bound", "helper"):
            text = text[: said.start] + "," * (said.end - said.start) + text[said.end :]
    added = (one for one in _found(text) if one.sure or not _is_base(parse(f"on {one.words}")))
    found = [_with_build(one, text, intent.said) for one in list(added)[:_MOST]]
    firm = [one for one in found if one.sure or _STYLE.fullmatch(one.words)]
    ways = [one for one in (found, firm if len(firm) < len(found) else []) if one]
    divisions = tuple(_divided(request, way, parse) for way in ways)
    if found or not (intent.order or intent.times or intent.versions or intent.builds != Builds()):
        return divisions
    return tuple(_side_by_side(request, text, parse))


def _side_by_side(request: str, text: str, parse: Callable[[str], Intent]) -> Iterator[Division]:
    """A request of two of the user's own things, where a time or a version is said of one."""
    if match := _BESIDE.search(text):
        rest, words = request[: match.start()], request[match.start("words") :]
        yield Division(parse(rest), (Added(words, parse(words), True),), (), side_by_side=True)


def _found(text: str) -> Iterator[_Found]:
    """What may be added, in order and apart; what is not wanted is not ("don't use the ...")."""
    matches = [
        (one, pattern in (_NAMED, _PLUS)) for pattern in _PATTERNS for one in pattern.finditer(text)
    ]
    end = 0
    for match, sure in sorted(matches, key=lambda one: (one[0].start("words"), not one[1])):
        if match.start("words") >= end:
            end = match.end()
            if is_refused(text[: match.start()]):
                continue
            sure = sure and not (match[0].lstrip().startswith("on ") and not _KIND.search(match[0]))
            yield _Found(match.start(), end, match["words"], sure)


def _with_build(found: _Found, text: str, said: Sequence[Said]) -> _Found:
    """What is added, with the version or time behind it: "on our mix, v1 not 2", "my style from
    may".
    """
    behind = text[found.end :]
    start = found.end + len(behind) - len(behind.lstrip(" ,("))
    build = next((one for one in said if one.what in _BUILDS and one.start == start), None)
    if build is None or not _CLAUSE_ENDS.match(text, build.end):
        return found
    words = text[text.index(found.words, found.start) : build.end]
    return replace(found, end=build.end + text[build.end :].startswith(")"), words=words)


def _is_base(intent: Intent) -> bool:
    """Whether "on ..." says a base model and nothing else: "on pony" adds no checkpoint."""
    said = [one for one in intent.said if one.what == "base model"]
    return any((one.start, one.end) == (len("on "), len(intent.request)) for one in said)


def _divided(request: str, found: list[_Found], parse: Callable[[str], Intent]) -> Division:
    rest = request
    for one in found:
        rest = rest[: one.start] + " " * (one.end - one.start) + rest[one.end :]
    added = [Added(one.words, parse(one.words), one.sure) for one in found]
    said = [Said(one.start, one.end, "added") for one in found]
    return Division(parse(rest), tuple(added), tuple(said))


_PATTERNS = (_NAMED, _PLUS, _ON, _MIX, _STYLE)
