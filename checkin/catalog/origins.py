"""Who made a model: the user, or somebody from whom it was downloaded."""

from __future__ import annotations

import numpy as np

from ..lexicon.folders import DOWNLOADED, MINE
from .cards import Card, Origin
from .columns import Array, CategoricalColumn

_MAJORITY, _FEW = 0.7, 3


def origin_of(card: Card, folder: str) -> Origin | None:
    """Who made the model of a card, as far as its files and folders say; None if they do not.

    `folder` is the name of its folders in the library. A sidecar counts most, then the name of a
    folder ("dl", "mine"), then a header that describes a training.
    """
    if card.origin and card.sources.get("origin") != "safetensors":
        return card.origin
    folder = folder.casefold().replace("_", " ")
    if DOWNLOADED.search(folder):
        return "downloaded"
    return "trained" if MINE.search(folder) else card.origin


def completed(origin: CategoricalColumn, lineage: Array, folder: Array) -> tuple[Array, Array]:
    """(whether the user trained each card, whether it was downloaded), bool [cards].

    A card that says nothing is what another build of its lineage is, else what most others of its
    folder are. `lineage` and `folder` are int [cards], equal for cards of the same.
    """
    trained = origin.where(lambda one: one == "trained")
    downloaded = origin.where(lambda one: one == "downloaded")
    own = np.isin(lineage, np.unique(lineage[trained]))
    trained, downloaded = trained | (own & ~downloaded), downloaded.copy()
    _, groups = np.unique(folder, return_inverse=True)
    counts = np.bincount(groups, trained), np.bincount(groups, downloaded)
    known = counts[0] + counts[1]
    silent = ~trained & ~downloaded & (known >= _FEW)[groups]
    share = counts[0] / np.maximum(known, 1)
    trained |= silent & (share >= _MAJORITY)[groups]
    downloaded |= silent & (share <= 1 - _MAJORITY)[groups]
    return trained, downloaded
