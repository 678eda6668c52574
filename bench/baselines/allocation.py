"""Which of a list of entries get more bits, so that the error is least within a number of bytes."""

from __future__ import annotations

import torch
from torch import Tensor


def allocate(errors: Tensor, sizes: Tensor, budget: float) -> Tensor:
    """Return int64 [n]: the chosen form of each of n entries.

    `errors` [n, c] and `sizes` [n, c] are those of each entry in each of c forms, by growing size.
    Every entry begins in its smallest form; then the step that takes away most error for each byte
    is taken, as long as one fits into `budget`. Steps lead along the lower convex hull of an
    entry's forms, so this is the best choice up to the last step. Raises ValueError where the
    smallest forms alone do not fit.
    """
    chosen = torch.zeros(len(errors), dtype=torch.int64)
    left = budget - sizes[:, 0].sum().item()
    if left < 0:
        raise ValueError(f"{budget:.0f} bytes hold not even the smallest forms: {-left:.0f} lack")
    steps = [
        step
        for entry in range(len(errors))
        for step in _hull(entry, errors[entry].tolist(), sizes[entry].tolist())
    ]
    stuck: set[int] = set()
    for _, entry, form, more in sorted(steps, key=lambda step: -step[0]):
        if entry in stuck:
            continue
        if more > left:
            stuck.add(entry)
            continue
        chosen[entry] = form
        left -= more
    return chosen


def _hull(
    entry: int, errors: list[float], sizes: list[float]
) -> list[tuple[float, int, int, float]]:
    """Return the steps of an entry: (error less for each byte more, entry, form, bytes more)."""
    steps, at = [], 0
    while at < len(errors) - 1:
        gains = [
            ((errors[at] - errors[to]) / (sizes[to] - sizes[at]), to)
            for to in range(at + 1, len(errors))
        ]
        gain, to = max(gains)
        if gain <= 0:
            break
        steps.append((gain, entry, to, sizes[to] - sizes[at]))
        at = to
    return steps
