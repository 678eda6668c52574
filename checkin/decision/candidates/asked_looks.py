"""Looks that are asked for, where no model is of what is to be drawn: "a cow in claymation"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardSelection
from ...lexicon.model_kinds import OTHER_KINDS
from ..evidence.features import Candidates
from ..evidence.grounder import IS, GroundedSegment

_PHOTO = {("realistic",)}
_WHOLE = 0.8
"""From this cover on a model has all words of a look, in others for the same too."""


def asked_looks(
    found: Candidates, segments: Sequence[GroundedSegment], left: CardSelection
) -> Array:
    """Bool [candidates]: the looks that have all words of a noun phrase of styles alone.

    None where a model is of what is to be drawn, where that is the user's ("my cow"), or a file of
    another kind ("an upscaler for anime"); nor is a photo a look, which any base draws.
    """
    parts = [one.segment for one in segments]
    styles = [all(word.style for word in one.words) for one in parts]
    drawn = [
        ground
        for one, style in zip(segments, styles, strict=True)
        if one.segment.part != "scene" and not style
        for ground in one.grounds
    ]
    kinds = OTHER_KINDS.intersection(word for one in drawn for word in one.mention.phrase)
    if kinds or any(one.best >= IS or one.mention.possessive for one in drawn):
        return np.zeros(len(found.cards), bool)
    behind = [
        style and one.part != "head" and not all(word.style == _PHOTO for word in one.words)
        for one, style in zip(parts, styles, strict=True)
    ]
    covered = np.array([one.cover(found.cards) for one in segments])
    whole = covered[found.segment, np.arange(len(found.cards))] >= _WHOLE
    return left.columns.look.where(bool)[found.cards] & whole & np.array(behind)[found.segment]
