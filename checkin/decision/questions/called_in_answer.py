"""The models that an answer calls by name, also those that its question has no room for.

A question shows four choices at most, and which ones changes when the library grows: an answer that
was kept, or a name that is typed, stays true.
"""

from __future__ import annotations

import numpy as np

from ...catalog.selection import CardSelection
from ...lexicon.spelling import plain, stems
from ..candidates.grounded import Grounded
from ..evidence.spelt import A_NAME
from .labels import called_as, called_on

_SHARE = 0.5
"""How many of the words are in a name at least: versions and bases are not."""


def called_in_answer(case: Grounded, *answers: str) -> CardSelection:
    """The builds that are called as the answer says: "pip terrier", "pip_terrier_v1".

    `answers`: it as it was typed, and in English.
    """
    for answer in answers:
        having = _named(case, plain(answer).partition(" (")[0], _SHARE)  # without a base model
        said = plain(answer).strip()
        called = [
            position
            for position, entry in zip(having.positions.tolist(), having, strict=True)
            if said in map(plain, (entry.card.name, called_as(entry), called_on(entry)))
        ]
        if called:
            return case.left.at(np.array(called, np.int64))
    return case.left[:0]


def named_in_answer(case: Grounded, answer: str) -> CardSelection:
    """The builds in whose names all words of the answer stand: "bruno", of baer_bruno."""
    return _named(case, answer, 1.0)


def _named(case: Grounded, answer: str, share: float) -> CardSelection:
    """The builds in whose names at least this share of an answer's words stand."""
    words = stems(answer)
    if not words:
        return case.left[:0]
    strengths = [case.grounder.strength_of(word)[case.left.positions] for word in words]
    having = np.mean(np.array(strengths) >= A_NAME, axis=0) >= share
    return case.left.at(case.left.positions[having])
