"""Whether a noun phrase of a request stands for a model, or only for something that is drawn."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from ..catalog.columns import Array
from .part_features import PART_NAMES


@cache
def part_weights() -> Array:
    """Float [PART_NAMES + bias]: the weights that are shipped; the file says how they are made."""
    stored = json.loads(Path(__file__).with_name("part_weights.json").read_text("utf-8"))
    return np.array([*(stored["weights"][name] for name in PART_NAMES), stored["bias"]])


def part_odds(features: Array) -> float:
    """The log-odds that a noun phrase stands for its likeliest model; `features` [PART_NAMES]."""
    weights = part_weights()
    return float(features @ weights[:-1] + weights[-1])
