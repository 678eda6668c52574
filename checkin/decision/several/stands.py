"""Whether a noun phrase of a request stands for a model, or only for something that is drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from ...catalog.columns import Array
from ..candidates.grounded import Grounded
from .company import (
    CANDIDATE_NAMES,
    COMPANY_NAMES,
    company_features,
    with_likeliest_first,
)
from .noun_phrases import NounPhrase
from .part_features import PART_NAMES

NAMES = {
    "alone": [*PART_NAMES, "bias"],
    "candidates": CANDIDATE_NAMES,
    "together": [*PART_NAMES, *COMPANY_NAMES, "bias"],
}
"""What is weighed: whether a phrase stands for a model as far as it says itself; which one of its
candidates it is; and whether it stands for that one, among the other phrases.
"""


@cache
def part_weights() -> Mapping[str, Array]:
    """Float [names] for each of NAMES: those that are shipped; the file says how they are made."""
    stored = json.loads(Path(__file__).with_name("part_weights.json").read_text("utf-8"))
    return {one: np.array([stored[one][name] for name in names]) for one, names in NAMES.items()}


def in_company(
    case: Grounded, phrases: Sequence[NounPhrase], weights: Mapping[str, Array] | None = None
) -> tuple[list[NounPhrase], Array]:
    """The phrases, with the likeliest candidate first, and their features among one another.

    float [phrases, names of "together" but the bias]. `weights`, as `part_weights`; "together" is
    not needed.
    """
    weights = weights or part_weights()
    alone = weighed(np.array([one.features(case) for one in phrases]), weights["alone"])
    ordered = with_likeliest_first(case, phrases, alone, weights["candidates"])
    features = np.array([one.features(case) for one in ordered])
    return ordered, np.c_[features, company_features(case, ordered, alone)]


def standing(case: Grounded, phrases: Sequence[NounPhrase]) -> list[tuple[NounPhrase, float]]:
    """The phrases, each with the log-odds that it stands for its likeliest model."""
    if not phrases:
        return []
    ordered, features = in_company(case, phrases)
    odds = weighed(features, part_weights()["together"])
    return list(zip(ordered, odds.tolist(), strict=True))


def weighed(features: Array, weights: Array) -> Array:
    """Float [rows]: the log-odds of `features` [rows, names]; `weights` [names + bias]."""
    odds: Array = features @ weights[:-1] + weights[-1]
    return odds
