"""Reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Sequence


def ranks(scores: Sequence[float | None]) -> list[int | None]:
    """The rank of each score, 1 for the highest; equal scores share the better rank.

    None (not retrieved) has rank None.
    """
    ordered = sorted((score for score in scores if score is not None), reverse=True)
    first: dict[float, int] = {}
    for rank, score in enumerate(ordered, 1):
        first.setdefault(score, rank)
    return [None if score is None else first[score] for score in scores]


def fuse(*rankings: Sequence[int | None], k0: int = 60) -> list[float]:
    """The reciprocal rank fusion score of each item, in the items' order.

    RRF(i) = sum over the rankings m of 1 / (k0 + rank_m(i)), without the rankings that did not
    retrieve i. Source: Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet
    and individual rank learning methods", SIGIR 2009.
    """
    return [
        sum(1 / (k0 + rank) for rank in of_item if rank is not None)
        for of_item in zip(*rankings, strict=True)
    ]
