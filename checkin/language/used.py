"""Whether a request means models by when they were used: "the one that i used yesterday"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from ..lexicon.english import one_of

_one_of = partial(one_of, "models", space=" ")
_JUST_NOW = _one_of("just now")
_USED = re.compile(
    rf"\b(?:i|we)(?:'ve| have| had)? ?(?:just |was |were |been )*{_one_of('i used')}\b|"
    # "the bear I use", but not "Kanel, I use Z-Image now"
    r"(?<=\w )(?<!and )(?<!but )(?<!as )(?<!since )(?<!because )(?:i|we) use\b|"
    rf"\bdid (?:i|we) {_one_of('did i use')}\b|"
    rf"\bthat (?:i|we) had on\b|\b(?:last|previous) run\b|"
    rf"\bsame {_one_of('same')}\b.*\b(?:as|like)\b|"
    rf"\bfrom (?:{_JUST_NOW}|yesterday|\w+day)\b.*\bagain\b|\bfrom {_JUST_NOW}\b"
)
_TOGETHER = re.compile(
    rf"\bsame {_one_of('same together')} (?:as|like|from)\b|\bsame as {_one_of('same times')}\b"
)
_MOST = re.compile(rf"\b{_one_of('most used')}\b")


@dataclass(frozen=True)
class Used:
    """That the request means a model by when it was used."""

    most: bool = False
    """Whether the one used most often is meant, not the one used last."""
    together: bool = False
    """Whether all that were used at once are meant: "the same combo as last night"."""


def find_used(text: str) -> Used | None:
    """Whether the model is meant that was used at some time."""
    if _TOGETHER.search(text):
        return Used(together=True)
    return Used(_MOST.search(text) is not None) if _USED.search(text) else None
