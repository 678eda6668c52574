"""Versions after the name of a model: without a sign ("dreamshaper 8"), and where the name ends."""

from __future__ import annotations

import re

from ..catalog.vocabulary import Vocabulary
from ..lexicon import FUNCTION
from ..lexicon.spelling import singular
from .gloss.names import is_name

_NUMBER = re.compile(
    r"(?<![\w.])([^\W\d_]+) (\d{1,3})(?=\s*(?:$|[,;:!?)\n]|-\s)|\s+(\w+)|\.(?!\d))"
)
_NUMBERED = re.compile(r"(?<![\w.])([^\W\d_]{3,}) (\d{1,2})(?![\w.])")


def with_numbered_names(text: str, vocabulary: Vocabulary) -> str:
    """The text with "drop2" for "drop 2", where files are called so."""
    known = vocabulary.personal.columns.identity.values_set

    def joined(match: re.Match[str]) -> str:
        name = match[1].lower() + match[2]
        return name if name in known else match[0]

    return _NUMBERED.sub(joined, text)


def signed(text: str, vocabulary: Vocabulary) -> str:
    """The text with a "v" before each of them; no thing may follow, as in "rosa 2 dogs"."""

    def sign(match: re.Match[str]) -> str:
        name, number, following = match.groups()
        counts = following is not None and following not in FUNCTION
        is_version = not counts and _has_build(singular(name), int(number), vocabulary)
        return f"{name} v{number}" if is_version else match[0]

    return _NUMBER.sub(sign, text)


def ended_names(before: str, after: str, vocabulary: Vocabulary) -> str:
    """`after`, a text without its versions, with a comma where one follows a name.

    There the name ends: "moss v1 ghibli style".
    """

    def ended(match: re.Match[str]) -> str:
        blanked = not before[slice(*match.span(2))].isspace()
        ends = blanked and is_name(singular(match[1]), vocabulary)
        return f"{match[1]},{match[2][1:]}" if ends else match[0]

    return re.sub(r"(\w+)(\s{2,})(?=\w)", ended, after)


def _has_build(name: str, number: int, vocabulary: Vocabulary) -> bool:
    if (number,) not in vocabulary.numbers:
        return False
    columns = vocabulary.personal.columns
    called = columns.called.where(lambda words: words == (name,))
    builds = columns.number.where(lambda one: one == (number,))
    return bool((called & (builds | columns.labels.any_of([f"v{number}"]))).any())
