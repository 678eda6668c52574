"""Trigger mapping (step 3 of the paper): the nouns that the model is about become its trigger, all else stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .cards import Card
from .words import singular

# Left as they are: networks and embeddings by name, and the weight that closes "(bear:1.2)".
_UNTOUCHED = r"<(?:lora|lyco|hypernet):[^<>]*>|embedding:\S+|:\s*[+-]?\d+(?:\.\d+)?\s*(?=\))"
_OPENING = "(["
"""What may stand right before a trigger; anything else is parted from it."""


@dataclass(frozen=True)
class Rewrite:
    """A text with the trigger in it, and the words that became it."""

    text: str
    replaced: tuple[str, ...]


def rewrite(text: str, card: Card, also: Sequence[str] = ()) -> Rewrite:
    """`text` with every mention of the card's subjects, and of the phrases in `also`, as its trigger, longest first.

    Whole words, any case, all mentions. What follows the singular stays behind a space ("bear's" gives "<bear> 's",
    "bears" "<bear> s"), and so does punctuation: CLIP's tokenizer would fuse it with the trigger. Weights,
    `<lora:...>`, `embedding:...` and triggers that are there already are left alone. Without a mention the trigger
    goes first; without a trigger the text stays as it is.
    """
    trigger = card.trigger
    if trigger is None:
        return Rewrite(text, ())
    own = _words(trigger)
    present = re.compile(own, re.IGNORECASE)
    phrases = sorted({phrase.strip() for phrase in (*card.subjects, *also) if phrase.strip()}, key=len, reverse=True)
    nouns = "|".join(_plural(phrase) for phrase in phrases) or r"(?!)"
    pattern = re.compile(rf"(?P<keep>{_UNTOUCHED}|{own})|(?<!\w)(?P<noun>{nouns})(?!\w)", re.IGNORECASE)
    replaced: list[str] = []

    def put(match: re.Match[str]) -> str:
        if match["noun"] is None:
            if present.fullmatch(match.group()):
                return _apart(text, match, match.group())
            return match.group()
        replaced.append(match["noun"])
        return _apart(text, match, trigger + _ending(match["noun"], phrases))

    out = pattern.sub(put, text)
    if not replaced and not present.search(text):
        out = f"{trigger} {text.lstrip()}".rstrip()
    return Rewrite(out, tuple(replaced))


def _words(phrase: str) -> str:
    """A pattern for the phrase as whole words, its spaces any white space."""
    body = r"\s+".join(map(re.escape, phrase.split()))
    return (r"(?<!\w)" if phrase[0].isalnum() else "") + body + (r"(?!\w)" if phrase[-1].isalnum() else "")


def _plural(phrase: str) -> str:
    """A pattern for the phrase, hyphenated or not, and its plural."""
    *first, last = re.split(r"[\s_-]+", phrase)
    forms = {last, f"{last}s", f"{last}es", *_irregular(last)}
    if last.endswith("y"):
        forms.add(f"{last[:-1]}ies")
    ends = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    return r"[\s_-]+".join([*map(re.escape, first), f"(?:{ends})"])


def _irregular(noun: str) -> set[str]:
    return {plural for plural in _IRREGULAR if singular(plural) == noun}


_IRREGULAR = ("people", "men", "women", "children", "mice", "geese", "wolves", "knives", "oxen", "leaves")


def _ending(noun: str, phrases: list[str]) -> str:
    """ " s" behind the trigger where the noun is a plural in -s."""
    typed = re.sub(r"[\s_-]+", " ", noun.lower())
    is_singular = typed in {re.sub(r"[\s_-]+", " ", phrase.lower()) for phrase in phrases}
    return " s" if not is_singular and typed.endswith("s") else ""


def _apart(text: str, match: re.Match[str], trigger: str) -> str:
    """The trigger with a space on each side that needs one."""
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    left = "" if not before or before.isspace() or before in _OPENING else " "
    right = "" if not after or after.isspace() else " "
    return f"{left}{trigger}{right}"
