r"""Triggers, taken out of prompt syntax: `(saber_\(fate\):1.2)` is saber_(fate)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..lexicon.sentences import say, sentence
from .text import MAX_ITEMS, split_list

MAX_TRIGGER_CHARS = 120
"""Characters."""
_MAX_TAG_CHARS = 400
"""The most characters of a trigger with its brackets and weights."""
LOADS_A_MODEL = sentence("it would load another model")
# While weights are removed, control characters, which no text here has, replace escaped signs.
_HIDDEN = dict(zip("()[]{}<>_*", map(chr, range(1, 11)), strict=True))
_SHOWN = str.maketrans({hidden: char for char, hidden in _HIDDEN.items()})
# A program that wrote JSON into JSON escapes twice; Markdown has \_.
_ESCAPED = re.compile(r"\\+([()\[\]{}<>_*])")
_LOADER = re.compile(r"<\w+:[^<>]*>")
_EMBEDDING = re.compile(r"(?<!\S)embedding:", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\{[^{}]*\|[^{}]*\}|\[[^\[\]]*\|[^\[\]]*\]")
_NUMBER = r"\s*:\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*"
_WEIGHTED = re.compile(rf"(?<![^\s(\[{{])\(([^()]+?){_NUMBER}\)")
_WEIGHT = re.compile(rf"(?<=.){_NUMBER}$")
_BARE_WEIGHT = re.compile(r"(?<=[\w)]):\d+\.\d+$")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_SMILE = re.compile(r"[:;=]['^-]?[()\[\]{}]$")
_FROWN = re.compile(r"^[()\[\]{}][:;=]")
_QUALITY = (
    r"(?:best|high|great|good|normal|amazing) quality|(?:high|great|good) score|"
    r"(?:very )?aesthetic|very awa|"
    r"masterpiece|absurdres|highres|score \d(?: up)?|source (?:pony|anime|cartoon|furry)|"
    r"rating (?:safe|general|sensitive|questionable|explicit)"
)
_GENERIC = re.compile(
    rf"\d+\+? ?(?:girl|boy|other)s?|solo|multiple (?:girl|boy)s|{_QUALITY}|"
    r"\W*[a-z\d]?\W*|[a-z\d][ -]+[a-z\d]",
    re.IGNORECASE,
)
_QUALITY_TAG = re.compile(rf"\W*(?:{_QUALITY}|[248]k|uhd)\W*(?::\W*[\d.]+\W*)?", re.IGNORECASE)
_NOTHING = re.compile(
    r"no|none|n/a|tb[ad]|(?:none|nothing|not?)(?: trigger)? (?:needed|required|necessary)"
    r"|no (?:need(?: for)? ?)?(?:a )?(?:trigger|activation|key)s?(?: ?(?:word|tag)s?)?"
    r"(?: (?:is |are )?(?:needed|required|necessary))?|(?:same as )?file ?name",
    re.IGNORECASE,
)
"""What people write on a site where a model has no trigger."""
_AROUND = " .!-\u2013()[]*"
_LABEL = re.compile(
    r"(?:[\u2022*\u2013-]|\d[.)])\s+"
    r"|(?:(?:trigger|activation|instance)[ _-]?(?:word|phrase|token|keyword|tag)?s?|keywords?) ?: ",
    re.IGNORECASE,
)
"""What stands before a trigger: a bullet, or "Trigger word:"."""
_QUOTED = re.compile(r"""(["'`\u201c\u2018])([^"'`\u201c\u201d\u2018\u2019]+)["'`\u201d\u2019]""")


@dataclass(frozen=True)
class Refused:
    """A trigger that cannot be used in a prompt."""

    text: str
    why: str


def read_triggers(value: object) -> tuple[tuple[str, ...], tuple[Refused, ...]]:
    """(usable triggers, each once; refused ones) from a text or a list of texts.

    Weights and their brackets are removed; the parentheses of a name stay, without their
    backslashes. Text that a prompt would act on (`<lora:...>`, `embedding:`, alternatives) is
    refused. Raises ValueError for another type.
    """
    usable: dict[str, str] = {}
    refused = []
    for tag in (one for one in split_list(value) if not _NOTHING.fullmatch(one.strip(_AROUND))):
        trigger, why = _read(tag)
        if why:
            refused.append(Refused(tag, why))
        else:
            usable.setdefault(trigger.replace("_", " ").casefold(), trigger)
    return tuple(usable.values()), tuple(refused)


def _unlabelled(tag: str) -> str:
    """The tag without a bullet or label before it, and without quotes around it."""
    label, quoted = _LABEL.match(tag), _QUOTED.fullmatch(tag)
    return tag[label.end() :] if label else quoted[2] if quoted else tag


def is_generic(trigger: str) -> bool:
    """Whether a tag names nothing: it counts people, praises the picture, or is an emoticon."""
    return _GENERIC.fullmatch(trigger.replace("_", " ")) is not None


def is_quality(tag: str) -> bool:
    """Whether a tag of a prompt asks for a good picture, and for nothing in it: "score_9"."""
    return _QUALITY_TAG.fullmatch(tag.replace("_", " ")) is not None


def with_words_of(variants: Iterable[str], triggers: Iterable[str]) -> tuple[str, ...]:
    """The triggers, and after them the words of a person's variants, which are triggers too.

    Those of download helpers come from the same list as their triggers.
    """
    words = (word.strip() for group in variants for word in group.split(","))
    return tuple(dict.fromkeys((*triggers, *words)))[:MAX_ITEMS]


def own_first(triggers: Iterable[str]) -> tuple[str, ...]:
    """The triggers, generic ones (`1girl`, `best quality`) last.

    The first trigger is the one that goes into prompts.
    """
    return tuple(sorted(triggers, key=is_generic))


def plain_trigger(text: str) -> str:
    """The text without weights, their brackets, and escapes.

    A text without these is returned unchanged.
    """
    before = ""
    while text != before:
        before = text
        text = _unweighted(_ESCAPED.sub(lambda found: _HIDDEN[found[1]], text)).translate(_SHOWN)
        text = " ".join(text.split())
    return text


def _read(tag: str) -> tuple[str, str]:
    """(trigger, "") or ("", why there is none)."""
    if len(tag) > _MAX_TAG_CHARS:
        return "", say("it has more than {number} characters", number=MAX_TRIGGER_CHARS)
    if _ALTERNATIVES.search(tag):
        return "", say("it offers alternatives, of which chance would take one")
    said = trigger = _LOADER.sub(" ", tag)
    before = ""
    while trigger != before:
        before, trigger = trigger, _unlabelled(plain_trigger(trigger))
    if _LOADER.search(trigger) or (said != tag and not trigger):
        return "", LOADS_A_MODEL
    if _EMBEDDING.search(trigger):
        return "", say("it would load an embedding")
    if len(trigger) > MAX_TRIGGER_CHARS:
        return "", say("it has more than {number} characters", number=MAX_TRIGGER_CHARS)
    if len(set(trigger)) < 2 and not trigger.isalnum():
        return "", say("it says nothing")
    return trigger, ""


def _unweighted(tag: str) -> str:
    """The tag with one layer of brackets and weights removed."""
    tag = _BARE_WEIGHT.sub("", _WEIGHTED.sub(r"\1", tag.strip()))
    if tag[:1] in _OPENS and _closes_at_end(tag):
        return _WEIGHT.sub("", tag[1:-1])
    opened, closed = (sum(map(tag.count, signs)) for signs in (_OPENS, _OPENS.values()))
    # Each part of "(green eyes, blonde hair:1.2)", split at the comma, has one bracket.
    if opened > closed and tag[0] in _OPENS and not _FROWN.search(tag):
        return tag[1:]
    if closed > opened and tag[-1] in _OPENS.values() and not _SMILE.search(tag):
        return _WEIGHT.sub("", tag[:-1])
    return tag


def _closes_at_end(tag: str) -> bool:
    """Whether the bracket that opens the tag is closed by its last character."""
    depth = 0
    for place, char in enumerate(tag):
        depth += (char == tag[0]) - (char == _OPENS[tag[0]])
        if depth == 0:
            return place == len(tag) - 1
    return False
