"""All models of a kind, where a request counts them: "both dogs" of who has two."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np

from ..catalog.shown_name import shown_name
from ..catalog.vocabulary import Vocabulary
from ..lexicon import SUBJECTS
from ..lexicon.english import any_of, one_of
from ..lexicon.numbers import CARDINALS
from ..lexicon.spelling import name_words, singular, stems
from ..lexicon.taxonomy import is_being

MOST = 4
"""The most models that are asked for so."""

_NUMBERS = {**{str(number): number for number in CARDINALS.values()}, **CARDINALS}
_OWNERS = one_of("words", "pointing")
_NUMBER = any_of(_NUMBERS)
_SOME = ("not", "one of", "er of", "est of", "first of", "which of")
_COUNTED = re.compile(
    rf"{''.join(f'(?<!{one} )' for one in _SOME)}\b(?:"
    rf"(?P<both>both) (?:of )?(?:{_OWNERS} )?"
    r"|(?:all (?:of )?)?(?P<own>my|our) "
    rf"|all (?:of )?(?:{_OWNERS} )?(?P<all>{_NUMBER}) (?:of )?(?:{_OWNERS} )?"
    rf"|{_OWNERS} (?P<number>{_NUMBER}) "
    rf")(?!{_NUMBER}\b)(?P<noun>\w+)(?!['\u2019\w-])",
    re.I,
)
"""Not "one of my two dogs", "neither of both", "the newest of all my dogs"."""


def each_by_name(text: str, vocabulary: Vocabulary) -> str:
    """The request with all of them by their names, in place of the words that count them.

    "Copperdog and pepperdog on a sofa" for "both dogs on a sofa", where the library has just these
    two that somebody trained of dogs, and the request names neither.
    """

    def named(found: re.Match[str]) -> str:
        noun = singular(found["noun"].lower())
        count = "2" if found["both"] else found["all"] or found["number"]
        plural = noun != found["noun"].lower() and (count or is_being((noun,)))
        names = _names_of(noun, vocabulary) if plural else {}
        words = {word for one in names.items() for said in one for word in name_words(said)}
        number = _NUMBERS[count.lower()] if count else len(names)
        if not 2 <= len(names) == number <= MOST or (words - {noun}).intersection(stems(text)):
            return found[0]
        *others, last = names.values()
        return f"{', '.join(others)} and {last}"

    return _COUNTED.sub(named, text)


def _names_of(noun: str, vocabulary: Vocabulary) -> dict[str, str]:
    """Of what the library has of a kind: the first word of its name, and what it is called by: its
    trigger, or its name where its builds have several.
    """
    cards, columns = vocabulary.personal.catalogue.cards, vocabulary.personal.columns
    fit = columns.shows_any(SUBJECTS.get((noun,), ((noun,),))) & columns.personal
    fit &= ~columns.downloaded
    builds: dict[str, list[int]] = defaultdict(list)
    for position in np.flatnonzero(fit).tolist():
        builds[next(iter(columns.called[position]), cards[position].id)].append(position)
    names = {}
    for first, some in builds.items():
        triggers = {cards[one].trigger for one in some}
        called = {columns.called[one] for one in some}
        name = shown_name(cards[some[-1]].name, columns.called[some[-1]])
        name = name if len(called) == 1 else " ".join(name.split()[:1])  # immy, of immy_toddler
        names[first] = (len(triggers) == 1 and triggers.pop()) or name
    return names if all(names.values()) else {}
