"""Versions beside a model's name that are not said to be any: "dreamshaper 8", "the old moss"."""

from __future__ import annotations

import re

from ..catalog.vocabulary import Vocabulary
from ..lexicon import FUNCTION, PICTURE_WORDS
from ..lexicon.english import one_of
from ..lexicon.spelling import is_english, singular
from .gloss.names import is_name

_NUMBER = re.compile(
    r"(?<![\w.])([^\W\d_]+) (\d{1,3})(?=\s*(?:$|[,;:!?)\n]|-\s)|\s+(\w+)|\.(?!\d))"
)
_DENIED = re.compile(
    rf"\b({one_of('words', 'not before')}(?: the)?) (\d{{1,3}})(?=\s*(?:$|[,;:!?)\n]|\.(?!\d)))"
)
_OLD = re.compile(rf"(?<!not )\b((?:the|my|our|that) {one_of('orders', 'old')}) (\w+)")
_TWO_WORDS = re.compile(r"(?<![\w.'-])([^\W\d_]{3,}) (?=([^\W\d_]{3,})(?![\w'-]))")
_NUMBERED = re.compile(r"(?<![\w.])([^\W\d_]{3,}) (\d{1,2})(?![\w.])")


def with_joined_names(text: str, vocabulary: Vocabulary) -> str:
    """The text with "drop2" for "drop 2", where files are called so, and with "amateurphoto" for
    "amateur photo", which would be a photo, unless others are called "amateur ...".
    """
    columns = vocabulary.personal.columns
    known = columns.identity.values_set

    def joined(match: re.Match[str]) -> str:
        name = "".join(match.groups()).lower()
        is_one = name in known and not is_english(name)
        return match[0].replace(" ", "") if is_one else match[0]

    def joined_words(match: re.Match[str]) -> str:
        first, last = match[1].lower(), match[2].lower()
        apart = last not in PICTURE_WORDS or columns.called.where(lambda name: first in name).any()
        return match[0] if apart else joined(match)

    return _TWO_WORDS.sub(joined_words, _NUMBERED.sub(joined, text))


def signed(text: str, vocabulary: Vocabulary) -> str:
    """The text with a "v" before each number; no thing may follow, as in "rosa 2 dogs". And with
    "the old version of moss" for "the old moss", where there are several of that name.
    """

    def sign(match: re.Match[str]) -> str:
        name, number, following = match.groups()
        counts = following is not None and following not in FUNCTION
        is_version = not counts and _has_build(singular(name), int(number), vocabulary)
        return f"{name} v{number}" if is_version else match[0]

    def deny(match: re.Match[str]) -> str:
        version = f"v{match[2]}"
        is_one = version in vocabulary.labels or (int(match[2]),) in vocabulary.numbers
        return f"{match[1]} {version}" if is_one else match[0]

    def age(match: re.Match[str]) -> str:
        is_told = match[1].split()[-1] != "old"  # "the older kitchen" is one of several
        has_builds = _are_builds(singular(match[2]), vocabulary, is_told)
        return f"{match[1]} version of {match[2]}" if has_builds else match[0]

    return _OLD.sub(age, _DENIED.sub(deny, _NUMBER.sub(sign, text)))


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


def _are_builds(name: str, vocabulary: Vocabulary, any_word: bool) -> bool:
    """Whether a word names several models, all builds of one; English ones only if they are names,
    or those of looks, but with `any_word`.
    """
    columns = vocabulary.personal.columns
    called = columns.called.where(lambda words: name in words)
    is_word = is_english(name) and not is_name(name, vocabulary)
    if is_word and not any_word and not columns.look.where(bool)[called].all():
        return False
    return int(called.sum()) > 1 and len({*columns.lineage[called].tolist()}) == 1
