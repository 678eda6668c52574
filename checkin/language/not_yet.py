"""What a model is to be without, as it came later: "ciaran before the beard"."""

from __future__ import annotations

import re

from ..catalog.vocabulary import Vocabulary
from ..lexicon.spelling import singular

_BEFORE = re.compile(r"\bbefore (?:\w+ \w+ )?(?:the|his|her|their|my|our|its) (\w+)")
"""The two words are of a sentence: "before he grew the beard"."""


def without_what_came_later(text: str, vocabulary: Vocabulary) -> str:
    """The text with "not the beard" for "before the beard", where one model's name has a beard and
    another's of the same first word has none.
    """
    columns = vocabulary.personal.columns

    def denied(match: re.Match[str]) -> str:
        word = singular(match[1])
        having = columns.called.where(lambda name: word in name[1:])
        if not having.any():
            return match[0]
        first = {columns.called[one][0] for one in having.nonzero()[0].tolist()}
        lacking = columns.called.where(lambda name: {*name[:1]} <= first and word not in name)
        return f"not the {match[1]}" if lacking.any() else match[0]

    return _BEFORE.sub(denied, text)
