"""Helpers that a request asks for by what they do: "moss with the 8 step lora"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..lexicon.english import one_of
from ..lexicon.spelling import split
from .origins import blank

_LEAD = rf"(?:{one_of('helpers', 'before')}\s+|[+,]\s*)"
_STEPS = r"(?P<steps>\d{1,2})[ -]?steps?[\s-]+"
_WORDS = {
    what: rf"(?:{one_of('helpers', 'how')}\s+)?{one_of('helpers', what, 'asked')}\s+"
    + one_of("helpers", "called")
    for what in ("detail", "hands")
}
_FAST = one_of("helpers", "speed", "asked")
_WORDS["speed"] = (
    rf"(?:{_STEPS}(?:{_FAST}\s+)?{one_of('helpers', 'called by steps')}"
    rf"|{_FAST}\s+{one_of('helpers', 'called')})"
)
_ASKED = {
    what: re.compile(rf"{_LEAD}*(?<!\w)(?P<said>{words})(?!\w)") for what, words in _WORDS.items()
}


@dataclass(frozen=True)
class Helper:
    """A LoRA that draws nothing of its own, by what it does."""

    what: str
    """"speed", "detail" or "hands"."""
    words: str
    """How the request says it."""
    steps: int | None = None
    """Of one for speed: for how many steps."""


def find_helpers(text: str) -> tuple[tuple[Helper, ...], str]:
    """The helpers that a plain text asks for behind something else, and the text without them."""
    found = []
    left = text
    for what, pattern in _ASKED.items():
        said = pattern.search(left)
        if said and split(left[: said.start()]):
            steps = said.groupdict().get("steps")
            found.append(Helper(what, said["said"], int(steps) if steps else None))
            left = blank(left, *said.span())
    return tuple(found), left
