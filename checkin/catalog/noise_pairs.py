"""LoRAs for Wan 2.2 14B come in pairs: one for its model for high noise, one for that for low."""

from __future__ import annotations

import numpy as np

from ..lexicon.sentences import sentence
from .cards import Card
from .columns import Array
from .facts import Columns
from .file_names import noise_of
from .selection import CardSelection, CardView


def without_other_halves(selection: CardSelection, connected: Card | None) -> CardSelection:
    """The selection with one half of each pair: the one that fits the connected model, else the one
    for low noise, as the base that is loaded then (`lexicon/split_models.py`).

    A half whose other one is not selected stays.
    """
    said = noise_of(connected.name) if connected else None
    kept, dropped = _pairs(selection.columns, said[1].lower() if said else "low")
    here = np.isin(kept, selection.positions)
    return selection.at(selection.positions[~np.isin(selection.positions, dropped[here])])


def half_of(model: CardView) -> str:
    """What is said of a model that is one half of a pair; "" for any other."""
    high, low = model.catalogue.columns.noise_pairs
    if model.position in high:
        return sentence("its half for high noise")
    return sentence("its half for low noise") if model.position in low else ""


def _pairs(columns: Columns, noise: str) -> tuple[Array, Array]:
    """(halves for this noise, int [pairs], those for the other)."""
    high, low = columns.noise_pairs
    return (high, low) if noise == "high" else (low, high)
