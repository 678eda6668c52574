"""The times of files that were copied together: they tell nothing of which version is newer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from .columns import Array

_HOUR_US = 3_600_000_000


def times_of_copies(created_us: Array, versions: Array, alike: Sequence[Array]) -> Array:
    """`created_us`, int64 [cards], for versions of a lineage whose files are of one hour that of
    the last.

    `versions`, bool [cards]: those which have a version, and their date from their file; the number
    of a save is an epoch, and tells nothing beside a version. `alike`, [cards] each: what those of
    one lineage and state have alike.
    """
    copied = created_us.copy()
    those = np.flatnonzero(versions)
    those = those[np.lexsort((-created_us[those], *(key[those] for key in alike)))]
    for later, one in itertools.pairwise(those.tolist()):
        near = created_us[later] - created_us[one] < _HOUR_US
        if near and all(key[later] == key[one] for key in alike):
            copied[one] = copied[later]
    return copied
