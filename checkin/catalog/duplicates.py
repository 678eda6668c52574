"""Duplicates: files with the same content are one model, however many cards there are of it."""

from __future__ import annotations

import numpy as np

from .selection import CardSelection, CardView


def without_duplicates(selection: CardSelection) -> CardSelection:
    """The selection with one card for each content.

    Of several cards, the one with the most fields besides its names stays, then the one
    with the shortest path. Only files whose SHA-256 is known for sure are compared.
    """
    column = selection.columns.content
    codes = column.codes[selection.positions]
    known = np.array([value is not None for value in column.values])
    repeated = known & (np.bincount(codes, minlength=len(known)) > 1)
    if not repeated.any():
        return selection
    duplicates = selection.at(selection.positions[repeated[codes]])
    groups = duplicates.groups(column.codes[duplicates.positions]).members()
    best = [max(group, key=_rank).position for group in groups]
    dropped = np.setdiff1d(duplicates.positions, best)
    return selection.at(selection.positions[~np.isin(selection.positions, dropped)])


def _rank(view: CardView) -> tuple[int, int]:
    card = view.card
    told = [one for one, source in card.sources.items() if one != "title" and source != "file name"]
    return len(told), -len(card.path or "")
