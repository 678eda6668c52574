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
        said = "2" if found["both"] else found["all"] or found["number"]
        plural = noun != found["noun"].lower() and (said or is_being((noun,)))
        names = _names_of(noun, vocabulary) if plural else []
        words = {word for name in names for word in name_words(name)} - {noun}
        number = _NUMBERS[said.lower()] if said else len(names)
        if not 2 <= len(names) == number <= MOST or words.intersection(stems(text)):
            return found[0]
        *others, last = names
        return f"{', '.join(others)} and {last}"

    return _COUNTED.sub(named, text)


def _names_of(noun: str, vocabulary: Vocabulary) -> list[str]:
    """What those are called that the library has of a kind: by their trigger, or by their
    name where their builds have several.
    """
    cards, columns = vocabulary.personal.catalogue.cards, vocabulary.personal.columns
    fit = columns.shows_any(SUBJECTS.get((noun,), ((noun,),))) & columns.personal
    fit &= ~columns.downloaded
    builds: dict[str, list[int]] = defaultdict(list)
    for position in np.flatnonzero(fit).tolist():
        builds[next(iter(columns.called[position]), cards[position].id)].append(position)
    names = []
    for some in builds.values():
        triggers = {cards[one].trigger for one in some}
        name = shown_name(cards[some[-1]].name, columns.called[some[-1]])
        names.append((len(triggers) == 1 and triggers.pop()) or name)
    return list(filter(None, names)) if all(names) else []
