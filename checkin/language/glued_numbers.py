"""Numbers of a request that stand in names as one word with what they count: "age4", "8step"."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from ..catalog.file_names import COLOURS, NUMBERS, glued
from ..lexicon.numbers import CARDINALS

_COUNT = {word: str(number) for word, number in CARDINALS.items() if number <= 12}
_COUNTED = re.compile(rf"\b({'|'.join(_COUNT)})(?=[ -](?:years?|steps?|colou?rs?)\b)", re.I)
_WHEN = re.compile(
    rf"\b(?:when (?:he|she|they|it|i) (?:was|were) (?:about |around |only |just |nearly )?"
    rf"({'|'.join(_COUNT)}|\d{{1,2}})(?! (?:days?|weeks?|months?|foot|feet)\b)"
    rf"|at ({'|'.join(_COUNT)}|\d{{1,2}})"
    r"(?! (?:o'?clock|[ap]\.?m|in the|at night|sharp|past|years?|yrs?|months?|weeks?|days?|steps?"
    r"|percent)\b))(?![\w:%°]|\.\d)",
    re.I,
)
"""How old somebody is in the picture: "when she was four", "ada at six", "ada at 6"."""


def glued_numbers(text: str, says: Callable[[str], bool]) -> str:
    """A request with such numbers as one word: "age4" for "at four years old".

    `says`: whether some card has a word; a number of colours is one only if some card has that.
    """
    text = _COUNTED.sub(lambda found: _COUNT[found[1].lower()], text)
    text = _WHEN.sub(lambda found: f"age{_number(found[1] or found[2])}", text)
    for pattern, unit in NUMBERS:
        if unit != COLOURS or any(says(glued(unit, one)) for one in pattern.finditer(text)):
            text = pattern.sub(partial(glued, unit), text)
    return text


def _number(word: str) -> str:
    return _COUNT.get(word.lower(), word)
