"""Versions without a sign, after the name of a model that has such a build: "dreamshaper 8"."""

from __future__ import annotations

import re

from ..catalog.vocabulary import Vocabulary
from ..lexicon import FUNCTION
from ..lexicon.spelling import singular

_NUMBER = re.compile(r"(?<![\w.])([^\W\d_]+) (\d{1,3})(?=\s*(?:$|[,;:!?\n])|\s+(\w+)|\.(?!\d))")


def signed(text: str, vocabulary: Vocabulary) -> str:
    """The text with a "v" before each of them; no thing may follow, as in "rosa 2 dogs"."""

    def sign(match: re.Match[str]) -> str:
        name, number, following = match.groups()
        counts = following is not None and following not in FUNCTION
        is_version = not counts and _has_build(singular(name), int(number), vocabulary)
        return f"{name} v{number}" if is_version else match[0]

    return _NUMBER.sub(sign, text)


def _has_build(name: str, number: int, vocabulary: Vocabulary) -> bool:
    if (number,) not in vocabulary.numbers:
        return False
    columns = vocabulary.personal.columns
    called = columns.called.where(lambda words: words == (name,))
    return bool((called & columns.number.where(lambda one: one == (number,))).any())
