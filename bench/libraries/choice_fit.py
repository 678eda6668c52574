"""The weights of a choice among candidates: a conditional logistic regression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...checkin.catalog.columns import Array

Choice = tuple[Array, Array, float]
"""(features [candidates, names], bool [candidates]: which are meant, weight)."""


def fit_choice(choices: Sequence[Choice], penalised: float, steps: int = 60) -> Array:
    """The weights, float [names], of the least penalised log-loss of a softmax over candidates.

    By Newton's method. Of several that are meant, each is as right. McFadden, "Conditional logit
    analysis of qualitative choice behavior" (1974).
    """
    names = choices[0][0].shape[1]
    found = np.zeros(names)
    for _ in range(steps):
        gradient, curvature = penalised * found, penalised * np.eye(names)
        for features, meant, weight in choices:
            said = np.exp(features @ found - (features @ found).max())
            chance = said / said.sum()
            mean = chance @ features
            gradient = gradient + weight * (mean - features[meant].mean(axis=0))
            spread = (features * chance[:, None]).T @ features - np.outer(mean, mean)
            curvature = curvature + weight * spread
        step = np.linalg.solve(curvature, gradient)
        found = found - step
        if np.abs(step).max() < 1e-6:
            break
    return found
