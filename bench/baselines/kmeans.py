"""k-means with a deterministic start: the same points give the same clusters."""

from __future__ import annotations

import torch
from torch import Tensor

ROUNDS = 100
"""Maximum number of rounds of Lloyd's algorithm."""


def kmeans(points: Tensor, count: int) -> Tensor:
    """Return the cluster 0..count-1, int64 [P], of each of `points` [P, D] (Lloyd's algorithm).

    The first centre is the point farthest from the mean; each further one is the point farthest
    from those before it. Some clusters stay empty where there are fewer than `count` different
    points.
    """
    centres = _start(points, count)
    labels = _nearest(points, centres)
    for _ in range(ROUNDS):
        totals = torch.zeros_like(centres).index_add_(0, labels, points)
        sizes = torch.bincount(labels, minlength=count)[:, None]
        centres = torch.where(sizes > 0, totals / sizes.clamp(min=1), centres)
        moved = _nearest(points, centres)
        if torch.equal(moved, labels):
            break
        labels = moved
    return labels


def _start(points: Tensor, count: int) -> Tensor:
    """Return the first centres [count, D]."""
    chosen = [points[(points - points.mean(0)).square().sum(1).argmax()]]
    distance = (points - chosen[0]).square().sum(1)
    for _ in range(count - 1):
        chosen.append(points[distance.argmax()])
        distance = torch.minimum(distance, (points - chosen[-1]).square().sum(1))
    return torch.stack(chosen)


def _nearest(points: Tensor, centres: Tensor) -> Tensor:
    return torch.cdist(points, centres, compute_mode="donot_use_mm_for_euclid_dist").argmin(1)
