"""What a request says of the model itself, besides times and versions.

It names builds ("v2b", "the final one"), the kind of file, and who made the model; base models are
read by `base_gates.py`, when it was used by `used.py`. These gates filter; the same words in a
scene do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ..catalog.cards import Origin
from ..catalog.file_names import labels_in
from ..lexicon import (
    CONJUNCTIONS,
    KINDS,
    ORDINAL_NUMBERS,
    POSTURES,
    PREPOSITIONS,
    SPOKEN_BASE_MODELS,
    TEMPORAL,
)
from ..lexicon.english import NEWEST, any_of, one_of, phrases
from ..lexicon.model_kinds import MIXES
from ..lexicon.spelling import with_apostrophes
from .model_phrases import is_other_thing
from .origins import Span, blank
from .times.periods import MONTHS

Kind = Literal["checkpoint", "lora", "mix", "style", "called style"]
"""A mix is a checkpoint that is called so, if there is one; a style is one of the user's own."""
_one_of = partial(one_of, "models", space=" ")
_BUILD = rf"(?:v\d+(?:\.\d+)*|\d+\.\d+|xl|{'|'.join(SPOKEN_BASE_MODELS.values())})"
_I_DID = _one_of("i did")
_THAT_I_DID = rf"(?: (?:that |which )?(?:i|we) {_I_DID}(?: myself)?)"
OWN_STYLE = (
    rf"(?:(?:{_one_of('own styles')}|{_one_of('called styles')})(?: {_one_of('kinds', 'lora')})?"
    rf"{_THAT_I_DID}?|(?:the|my|our) {_one_of('styles i did')}{_THAT_I_DID}|"
    rf"(?:^|(?<=[,;:+] )){_one_of('styles i did')}(?=\s+v\d))"
    rf"(?=\s*(?:$|[^\w\s'])|\s+(?:{_BUILD}|{any_of(PREPOSITIONS, CONJUNCTIONS, TEMPORAL)}|not|"
    rf"\w+ing|{_one_of('after own styles')})\b)"
)
"""Says of a style only whose it is: "in my style", but not "my style of inking"."""
OWN_BUILD = rf"{OWN_STYLE}(?:\s+(?:not?\s+)?{_BUILD}\b)*"
"""The same, and which build: "house style v3 not v4"."""
_EARLIER = phrases("models", "before build")
_SIDE = re.compile(
    rf"\b({any_of(_EARLIER, phrases('models', 'after build'), space=' ')})(?: (?:the|my|our))?\s*$"
)
_NOT = re.compile(
    rf"(?:\b{one_of('words', 'not before', space=' ')}|n't)(?:\s+{_one_of('not through')})*\s*$"
)
_OWN_STYLE = re.compile(rf"\b{OWN_STYLE}")
_CALLED_STYLE = re.compile(_one_of("called styles"))
_CHECKPOINT, _LORA = (
    re.compile(rf"\b{any_of(KINDS[kind], space=' ')}\b") for kind in ("checkpoint", "lora")
)
_MINE = re.compile(
    rf"\b(?:{_one_of('mine')}|i (?:ever )?{_I_DID}|we {_one_of('we did')}|"
    rf"did (?:i|we) (?:ever )?{_one_of('did i')})\b"
)
_OF_WHAT = frozenset({"of", "with", "for", "from"})
PLACE_PREPOSITIONS = PREPOSITIONS - _OF_WHAT
_ANY_MODEL = re.compile(
    rf"(?:\s+{_one_of('ordered')}\b(?:\s+(?:that |which )?(?:i|we) {_I_DID}\b)?(?:\s+myself\b)?)?"
    rf"\s*(?=[^\w\s](?!\s*{any_of(_OF_WHAT)}\b)|$|{any_of(PLACE_PREPOSITIONS)}\b)|"
    rf"\s+{_one_of('ordered')}\s+(?={any_of(POSTURES)}\b)"
)
_DENIED = re.compile(r"\b(?:rather|other) than\b|\bnot?\b(?=[^,.;:!?]*$)")
_NOT_MINE = re.compile(
    rf"\bnot (?:with )?(?:one of |any of )?{_one_of('own')}\b(?! {NEWEST}\b)|"
    rf"\b{_one_of('not mine')}\b|"
    rf"\bnot (?:the |an? |any )?(?:ones? )?(?:that |which )?(?:i|we) {_I_DID}(?: myself)?\b"
)
_THE_ONE = re.compile(
    rf"\b(?:the|that|those) (?:\w+ )?{_one_of('pointed at')}\b"
    rf"(?= {_one_of('pointed by')}\b)"
)
_NTH_BUILD = re.compile(
    rf"\b({any_of(ORDINAL_NUMBERS)}|\d+(?:st|nd|rd|th|er)?) ({_one_of('counted builds')})\b"
)
_FAILED = re.compile(rf"^\W*(?:the|my|that|a)?\s*{_one_of('failed')}\b")
_FINALS = re.compile(r"\bfinal(?:[\s,_-]+final)+\b")
_STEP = re.compile(rf"\b(?P<step>\d{{3,6}}) {_one_of('counted steps')}\b")
_SHORT_EPOCH = re.compile(r"e\d")
_EARLY = re.compile(rf"\b(?:an? )?{_one_of('early')} {_one_of('early builds')}(?: of)?\b")


_MADE = re.compile(
    rf"\b(?:{_one_of('made')}|of \d+)\b"
    rf"(?:\s+{_one_of('made through')})*\W*$|"
    r"\b(?:he|she|it|they|i|we) (?:was|were|looked)(?: like)?(?: back)? in\W*$"
)
_LINK = re.compile(rf"{_one_of('times by')}\s+")
_BEFORE_MODEL = re.compile(rf"'s|\s*{_one_of('before model')}s?\b")
_RELATIVE = re.compile(rf"{_one_of('times of')}\b")
_MONTH = re.compile(rf"\b{any_of(month[:3] for month in MONTHS)}(?:[a-z]{{0,6}})\b", re.IGNORECASE)
_SURELY_MADE = re.compile(rf"\b{_one_of('surely made')}")
_MEANT_BY = phrases("models", "times surely by")
_NEAR = 120
"""Characters before a time that may say what it is of."""
_LONG = 140
"""Characters from which on a request is a message: its times belong to the scene or the talk."""


def is_of_model(text: str, start: int, end: int, has_year: bool) -> bool:
    """Whether the time at text[start:end] says when the model was made or used.

    It does at the beginning, after "from", "trained in", "made", before "'s" or "model", and
    between commas if it names a month or year; after any other word it is part of the scene
    ("stormy in november").
    """
    linked = _LINK.match(text, start)
    if linked:
        start = linked.end()
    before = text[max(0, start - _NEAR) : start]
    clause = re.split(r"[,.;:!?\n]", before)[-1]
    if _MADE.search(before):
        return len(text) < _LONG or _SURELY_MADE.search(before[-40:]) is not None
    if len(text) >= _LONG:
        return False
    begins = start < _NEAR and not re.sub(r"\b(?:the|my|our|a|an)\b|\W", "", before)
    if begins or _BEFORE_MODEL.match(text, end):
        return True
    if linked and linked[0].strip() in _MEANT_BY:
        return True
    if linked and linked[0].startswith("of") and _RELATIVE.match(text, start):
        return True
    dated = has_year or _MONTH.search(text, start, end) is not None
    return dated and not re.sub(r"\b(?:the|my|our|a|an|one|both|all)\b|\W", "", clause)


@dataclass(frozen=True)
class Builds:
    """The builds that a request names."""

    wanted: frozenset[str] = frozenset()
    """Labels of file_names.py, all of which a model must have."""
    unwanted: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    """Labels of builds before which the model must be made."""
    after: frozenset[str] = frozenset()
    failed: bool = False
    """Whether one is wanted that is no good."""
    early: bool = False
    """Whether one saved during training is wanted."""


def find_builds(text: str, known: Collection[str]) -> tuple[Builds, str]:
    """The builds that a plain text names, and the text with their words blanked.

    Plain version numbers are left to `versions`. `known` are the labels of the library: words such
    as "final" name a build only where one is called so.
    """
    wanted, unwanted = set[str](), set[str]()
    before, after = set[str](), set[str]()
    text = _NTH_BUILD.sub(_counted_build, text)
    text = _FINALS.sub(lambda said: _last_of_finals(said[0], known), text)
    for said in _STEP.finditer(text):
        if (label := f"step{said['step']}") in known:
            wanted.add(label)
            text = blank(text, *said.span("step"))
    for start, end, label in labels_in(text):
        glued = label.replace(".", "")
        is_number = re.fullmatch(r"v\d+(?:\.\d+)*", label)
        if "." in label and glued in known and label not in known:
            label, is_number = glued, None  # "3.1" of grimhall_v31
        ordinary = label.startswith(("final", "hotfix", "build", "age")) and label not in known
        speed = label.startswith("step") and label not in known  # "8 steps"
        short = _SHORT_EPOCH.match(text, start) and label not in known  # "my bmw e30"
        if is_number or ordinary or speed or short:
            continue
        side = _SIDE.search(text[:start])
        if side and side[1] == "after" and text[start].isdigit():  # "after 1000 steps" of training
            start, side = side.start(), None
        if side and is_other_thing(label, text[end:]):
            continue
        if side:
            (before if side[1] in _EARLIER else after).add(label)
            start = side.start()
        else:
            (unwanted if _NOT.search(text[max(0, start - _NEAR) : start]) else wanted).add(label)
        text = blank(text, start, end)
    early = _EARLY.search(text)
    if early:
        text = blank(text, *early.span())
    return (
        Builds(
            frozenset(wanted),
            frozenset(unwanted),
            frozenset(before),
            frozenset(after),
            failed=_FAILED.search(text) is not None,
            early=early is not None,
        ),
        text,
    )


def _last_of_finals(said: str, known: Collection[str]) -> str:
    """The label of "final final", where the library has "final2", as long as what was said."""
    label = f"final{said.count('final')}"
    return label.ljust(len(said)) if label in known else said


def _counted_build(found: re.Match[str]) -> str:
    """The number of a build after it, "epoch 6" for "sixth epoch", as long as that."""
    number = ORDINAL_NUMBERS.get(found[1]) or int(re.sub(r"\D", "", found[1])[:9])
    return f"{found[2]} {number}".ljust(len(found[0]))


def not_before(text: str, start: int) -> Span | None:
    """Where a "not" stands before text[start:], with the words through which it reaches."""
    near = max(0, start - _NEAR)
    found = _NOT.search(text[near:start])
    return (near + found.start(), near + found.end()) if found else None


def is_refused(before: str) -> bool:
    """Whether words that follow `before` are not wanted: "don't | use the neon lora"."""
    text = with_apostrophes(before)
    return not_before(text, len(text)) is not None


def find_kind(text: str, is_here: Callable[[Kind], bool]) -> tuple[Kind | None, str]:
    """The kind of model that a plain text asks for, and the text with its words blanked.

    Words for a style of the user's own ask for none where none `is_here`.
    """
    kind: Kind | None = None
    own = _OWN_STYLE.search(text)
    if own and not is_refused(text[: own.start()]):
        style: Kind = "called style" if _CALLED_STYLE.match(own[0]) else "style"
        if is_here(style):
            return style, blank(text, *own.span())
    checkpoint, lora = _CHECKPOINT.search(text), _LORA.search(text)
    if lora and not checkpoint and (no := not_before(text, lora.start())):
        text = blank(text, *no)
        return "checkpoint", blank(text, *lora.span())
    if checkpoint and not (lora and lora.start() < checkpoint.start()):
        kind = "mix" if checkpoint[0] in MIXES else "checkpoint"
    elif lora:
        kind = "lora"
    for match in (*_CHECKPOINT.finditer(text), *_LORA.finditer(text)):
        text = blank(text, *match.span())
    return kind, text


def find_origin(text: str) -> tuple[Origin | None, str, str]:
    """Who made the model, as far as a plain text says it; by which words others' are not wanted
    ("not the downloaded one"), if so; and the text with "not mine" blanked.

    "trained" is a preference ("my bear"), "downloaded" a demand ("not one of mine"). What is mine
    and not wanted says nothing: "neither my wyvern nor the Chinese one".
    """
    if match := _NOT_MINE.search(text):
        denied = _DENIED.search(text[: match.start()])
        left = blank(text, *match.span())
        words = re.sub(r" (?:one|version|lora|model)$", "", match[0])
        return ("trained", words, left) if denied else ("downloaded", "", left)
    mine = (text[: one.start()] for one in _MINE.finditer(text))
    return ("trained" if any(not _NOT.search(before) for before in mine) else None), "", text


def points_at_one(text: str) -> bool:
    """Whether a plain text speaks of a model as one that is there: "the one with the moth"."""
    return _THE_ONE.search(text) is not None


def points_at_first(text: str, order: str) -> bool:
    """Whether a plain text without base models speaks of the first of all models by a superlative.

    All that follows is then what to draw: "my newest lora in the snow", "my newest lora: a castle",
    "the latest one i trained, at sunset".
    """
    said = re.search(rf"\b{re.escape(order)}\b", text)
    return said is not None and _ANY_MODEL.match(text, said.end()) is not None
