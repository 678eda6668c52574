"""Whether models lie before, after or between some builds: by version or number, else by date."""

from __future__ import annotations

import re

import numpy as np

from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...language.intent import Bound

Ends = tuple[int, ...]
"""Positions of the builds that bound: one, or two for "between"; empty if numbers bound."""
_LABEL = re.compile(r"(epoch|step|build|rc)(\d+)")


def numbers_of(bound: Bound) -> tuple[str, int, int] | None:
    """("epoch", 4, 9) for "between epoch 4 and epoch 9"."""
    labels = [_LABEL.fullmatch(one) for other in bound.others for one in other.builds.wanted]
    if len(labels) != 2 or not (labels[0] and labels[1]) or labels[0][1] != labels[1][1]:
        return None
    first, last = sorted(int(one[2]) for one in labels if one)
    return labels[0][1], first, last


def inside(bound: Bound, ends: Ends, columns: Columns) -> Array:
    """Bool [cards]: whether each card lies within a bound."""
    if numbers := numbers_of(bound):
        kind, first, last = numbers
        inner = [
            label
            for label in columns.labels.values
            if (found := _LABEL.fullmatch(label))
            and found[1] == kind
            and first < int(found[2]) < last
        ]
        return columns.labels.any_of(inner)
    if bound.side != "between":
        return _beyond(ends[0], 1 if bound.side == "after" else -1, columns)
    one, other = ends
    return (_beyond(one, 1, columns) & _beyond(other, -1, columns)) | (
        _beyond(other, 1, columns) & _beyond(one, -1, columns)
    )


def _beyond(build: int, side: int, columns: Columns) -> Array:
    """Bool [cards]: whether each card was made after (1) or before (-1) a build.

    Of its own lineage the version says so where both have one, else the date.
    """
    created, number = columns.created_us, columns.number_rank
    dated = columns.dated & columns.dated[build]
    by_date = dated & (np.sign(np.where(dated, created - created[build], 0)) == side)
    numbered = columns.numbered & columns.numbered[build]
    same = columns.lineage == columns.lineage[build]
    return np.where(same & numbered, np.sign(number - number[build]) == side, by_date)
