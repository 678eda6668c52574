"""Models of one thing in other colours than a request says: "the black dress", not the red one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...catalog.columns import Array
from ...lexicon.english import word_set
from ..evidence.features import Candidates
from ..evidence.grounder import IS, LACKED, GroundedSegment

OTHER_COLOUR = 4.0
"""Log-odds that a model loses beside one of the same thing that has the colour."""
_COLOURS = word_set("words", "colours")


def of_other_colour(found: Candidates, segments: Sequence[GroundedSegment]) -> Array:
    """Bool [lineages]: whether each lacks a colour of its noun phrase that another one has which
    is all else that the phrase says.
    """
    lacking = np.zeros(len(found.cards), bool)
    for number, segment in enumerate(segments):
        said = [one for one in segment.grounds if one.mention.phrase[-1] in _COLOURS]
        others = [
            one
            for one in segment.grounds
            if one.mention.phrase[-1] not in _COLOURS and not one.generic
        ]
        if not said or not others:
            continue
        here = found.segment == number
        has = np.all([one.strength[found.cards] >= LACKED for one in said], axis=0)
        is_it = np.all([one.strength[found.cards] >= IS for one in others], axis=0)
        if (here & has & is_it).any():
            lacking |= here & ~has
    return lacking
