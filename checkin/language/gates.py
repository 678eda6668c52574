"""What a request says of the model itself, besides times and versions.

It names builds ("v2b", "the final one"), base models, the kind of file, who made the model, and
whether the one that was used is meant. These gates filter; the same words in a scene do not.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from ..catalog.cards import Origin
from ..catalog.file_names import labels_in
from ..lexicon import SPOKEN_BASE_MODELS

_EARLIER = ("before", "older than", "earlier than")
_SIDE = re.compile(rf"\b({'|'.join(_EARLIER)}|after|newer than|later than)(?: (?:the|my|our))?\s*$")
_NOT = re.compile(
    r"(?:\bnot|\bno|\bwithout|n't|\bexcept|\bneither|\bnor|\brather than|\binstead of)"
    r"(?:\s+(?:for|in|with|the|my|that|a|on|from|of|old|new|plain))*\s*$"
)
_SHORT_BASES = (
    ("sd15", r"1\.5(?!\s*(?:x\b|m\b|kg\b))"),
    ("illustrious", r"ilxl|il(?=\s+(?:one|version|lora|model)\b)"),
    ("noobai", r"noob"),
    (
        "pony",
        r"pony(?=\s+(?:version(?!\s*\d)|one|lora|model|checkpoint)\b)|(?:(?<=in\s)|(?<=for\s)|(?<=on\s))pony"
        r"|pdxl",
    ),
    ("sdxl", r"xl"),
)
"""Short names of base models, which are no names inside longer ones."""
_BASES = tuple(
    (name, re.compile(rf"(?<![\w.])(?:{pattern})(?![\w.]*\d|\w)"))
    for name, pattern in (*SPOKEN_BASE_MODELS.items(), *_SHORT_BASES)
)
_FAMILY = {"pony": "sdxl", "illustrious": "sdxl", "noobai": "sdxl"}
_CHECKPOINT = re.compile(r"\b(?:checkpoint|ckpt|merge|mix(?:es|ture)?|base model)s?\b")
_LORA = re.compile(r"\b(?:lora|locon|lycoris)s?\b")
_MINE = re.compile(
    r"\b(?:my|our|mine|ours|i (?:ever )?(?:trained|made|did|built)|we (?:trained|made)|"
    r"trained myself|i ever|did (?:i|we) (?:ever )?(?:train|make|mix|merge)|of mine)\b"
)
_NOT_MINE = re.compile(
    r"\bnot (?:with )?(?:one of |any of )?(?:my own|mine|my)\b|\bdownloaded\b|"
    r"\bfrom (?:the (?:internet|web|net)|civitai)\b|\b(?:any|one) not one of mine\b|"
    r"\bnot (?:the |an? |any )?(?:ones? )?(?:that |which )?(?:i|we) (?:trained|made|did)"
    r"(?: myself)?\b"
)
_USED = re.compile(
    r"\b(?:i|we)(?:'ve| have| had)? ?(?:just |was |were |been )*"
    r"(?:used|using|use|ran|loaded|had (?:on|loaded|running)|flogging|"
    r"(?:mucking|messing|playing|fooling) (?:about|around) with)\b|"
    r"\bdid (?:i|we) (?:use|have|run|load)\b|\bthat (?:i|we) had on\b|"
    r"\b(?:last|previous) run\b|"
    r"\bsame (?:style|character|model|lora|one|checkpoint|look)\b.*\b(?:as|like)\b|"
    r"\bfrom (?:this morning|last night|yesterday|\w+day)\b.*\bagain\b|"
    r"\bfrom (?:this morning|last night)\b"
)
_THE_ONE = re.compile(
    r"\b(?:the|that|those) (?:\w+ )?(?:one|ones|lora|loras|model|checkpoint|thing|style|look)\b"
    r"(?= (?:that|which|who|where|when|with|for|from|of|out|like|i|we|it|she|he)\b)"
)
_MOST = re.compile(r"\bmost\b|\boften\b")
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_NTH_BUILD = re.compile(rf"\b({'|'.join(_NTH)}|\d+(?:st|nd|rd|th)) (epoch|final)\b")
_FAILED = re.compile(r"^\W*(?:the|my|that|a)?\s*(?:failed|overcooked|overfit|burnt|fried|broken)\b")
_EARLY = re.compile(
    r"\b(?:an? )?(?:early|earlier|half-?way) (?:epoch|save|build|step|one|version)(?: of)?\b"
)


_MADE = re.compile(
    r"\b(?:from|as of|made|train(?:ed)?|training|did|done|created|built|finish(?:ed)?|"
    r"build of|since|before|between|after|until|version of|dated|of \d+|used|using|use|epoch|"
    r"the one|ones?)\b"
    r"(?:\s+(?:in|on|of|the|back|it|her|him|them|me|us|around|from|during|before|after|this|a|ever|"
    r"was|were))*\W*$|\b(?:he|she|it|they|i|we) (?:was|were|looked)(?: like)?(?: back)? in\W*$"
)
_LINK = re.compile(r"(?:from|since|before|after|until|between|of|in|on|during|back in)\s+")
_BEFORE_MODEL = re.compile(
    r"'s|\s*(?:model|build|version|one|lora|checkpoint|run|save|epoch|training)s?\b"
)
_RELATIVE = re.compile(r"(?:last|this|yesterday|today)\b")
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:[a-z]{0,6})\b", re.IGNORECASE
)
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
        return (
            len(text) < _LONG
            or re.search(r"\b(?:train|made|did|built|used)", before[-40:]) is not None
        )
    if len(text) >= _LONG:
        return False
    begins = start < _NEAR and not re.sub(r"\b(?:the|my|our|a|an)\b|\W", "", before)
    if begins or _BEFORE_MODEL.match(text, end):
        return True
    if linked and linked[0].split()[0] in ("from", "since", "before", "after", "until", "between"):
        return True
    if linked and linked[0].startswith("of") and _RELATIVE.match(text, start):
        return True
    dated = has_year or _MONTH.search(text, start, end) is not None
    return dated and not re.sub(r"\b(?:the|my|our|a|an|one)\b|\W", "", clause)


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


@dataclass(frozen=True)
class Used:
    """That the request means a model by when it was used."""

    most: bool = False
    """Whether the one used most often is meant, not the one used last."""


def find_builds(text: str, known: Collection[str]) -> tuple[Builds, str]:
    """The builds that a plain text names, and the text with their words blanked.

    Plain version numbers are left to `versions`. `known` are the labels of the library: words such
    as "final" name a build only where one is called so.
    """
    wanted, unwanted = set[str](), set[str]()
    before, after = set[str](), set[str]()
    text = _NTH_BUILD.sub(_counted_build, text)
    for start, end, label in labels_in(text):
        glued = label.replace(".", "")
        is_number = re.fullmatch(r"v\d+(?:\.\d+)*", label)
        if "." in label and glued in known and label not in known:
            label, is_number = glued, None  # "3.1" of grimhall_v31
        ordinary = label.startswith(("final", "hotfix", "build")) and label not in known
        speed = label.startswith("step") and label not in known  # "8 steps"
        if is_number or ordinary or speed:
            continue
        side = _SIDE.search(text[:start])
        if side:
            (before if side[1] in _EARLIER else after).add(label)
            start = side.start()
        else:
            (unwanted if _NOT.search(text[max(0, start - _NEAR) : start]) else wanted).add(label)
        text = _blank(text, start, end)
    early = _EARLY.search(text)
    if early:
        text = _blank(text, *early.span())
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


def _counted_build(found: re.Match[str]) -> str:
    """The number of a build after it, "epoch 6" for "sixth epoch", as long as that."""
    number = _NTH.index(found[1]) + 1 if found[1] in _NTH else int(re.sub(r"\D", "", found[1]))
    return f"{found[2]} {number}".ljust(len(found[0]))


def find_bases(text: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """(base models that are wanted, those that are not, the text with their words blanked)."""
    wanted: list[str] = []
    unwanted: list[str] = []
    for name, pattern in _BASES:
        if match := pattern.search(text):
            (
                unwanted
                if _NOT.search(text[max(0, match.start() - _NEAR) : match.start()])
                else wanted
            ).append(name)
            text = _blank(text, *match.span())
    narrow = {_FAMILY[one] for one in wanted if one in _FAMILY}
    return tuple(dict.fromkeys(one for one in wanted if one not in narrow)), tuple(unwanted), text


def find_kind(text: str) -> tuple[Literal["checkpoint", "lora"] | None, str]:
    """The kind of file that a plain text asks for, and the text with its words blanked."""
    checkpoint, lora = _CHECKPOINT.search(text), _LORA.search(text)
    kind: Literal["checkpoint", "lora"] | None = None
    if checkpoint and not (lora and lora.start() < checkpoint.start()):
        kind = "checkpoint"
    elif lora:
        kind = "lora"
    for match in (*_CHECKPOINT.finditer(text), *_LORA.finditer(text)):
        text = _blank(text, *match.span())
    return kind, text


def find_origin(text: str) -> tuple[Origin | None, str]:
    """Who made the model, as far as a plain text says it, and the text with "not mine" blanked.

    "trained" is a preference ("my bear"), "downloaded" a demand ("not one of mine").
    """
    if match := _NOT_MINE.search(text):
        denied = re.search(r"\b(?:rather|other) than\b|\bnot\b", text[: match.start()])
        return "trained" if denied else "downloaded", _blank(text, *match.span())
    return ("trained" if _MINE.search(text) else None), text


def points_at_one(text: str) -> bool:
    """Whether a plain text speaks of a model as one that is there: "the one with the moth"."""
    return _THE_ONE.search(text) is not None


def find_used(text: str) -> Used | None:
    """Whether the model is meant that was used at some time."""
    return Used(_MOST.search(text) is not None) if _USED.search(text) else None


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^,;:!?\n]", " ", text[start:end]) + text[end:]
