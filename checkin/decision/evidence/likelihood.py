"""How likely each lineage is meant: a logistic model of its features."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ...catalog.columns import Array
from .features import NAMES


@dataclass(frozen=True)
class Likelihood:
    """The weights of the features, and the thresholds of decisions."""

    weights: Array
    bias: float
    least: float
    """The likelihood below which nothing is selected."""
    least_rival: float
    """The likelihood from which on another lineage makes a question."""
    margin: float
    """How far in log-odds a rival may be behind."""
    least_further: float
    """The likelihood from which on a further model is selected with the first."""
    least_ordered: float
    """The least likelihood, as a share of the first's, of models among which an order picks."""

    def of(self, values: Array) -> Array:
        """Float [lineages]: the log-odds of each lineage; `values` [lineages, features]."""
        return values @ self.weights + self.bias


@cache
def likelihood() -> Likelihood:
    """The likelihood that is shipped: weights.json says what it was made from."""
    stored = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    weights = np.array([stored["weights"][name] for name in NAMES])
    return Likelihood(weights, stored["bias"], **stored["thresholds"])


def probability(odds: Array) -> Array:
    """The probabilities of log-odds."""
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
