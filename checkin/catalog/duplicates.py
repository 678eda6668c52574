"""Copies: files of the same content are one model, however many cards it has."""

from __future__ import annotations

import numpy as np

from .selection import CardSelection, CardView


def without_duplicates(entries: CardSelection) -> CardSelection:
    """The models, each content once: by the card that says most, then by the shortest path.

    Only files whose SHA-256 is known for sure are compared.
    """
    column = entries.columns.content
    codes = column.codes[entries.positions]
    known = np.array([value is not None for value in column.values])
    often = known & (np.bincount(codes, minlength=len(known)) > 1)
    if not often.any():
        return entries
    copied = entries.at(entries.positions[often[codes]])
    kept = [
        max(copies, key=_worth)
        for copies in copied.groups(column.codes[copied.positions]).members()
    ]
    dropped = np.setdiff1d(copied.positions, [entry.position for entry in kept])
    return entries.at(entries.positions[~np.isin(entries.positions, dropped)])


def _worth(entry: CardView) -> tuple[int, int]:
    card = entry.card
    return len(card.as_dict()), -len(card.path or "")
