"""Metrics with 95 % confidence intervals: bootstrap over pictures, Wilson's for shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..world.measure_steering import share_with_interval

RESAMPLES, SEED = 1000, 0


@dataclass(frozen=True)
class Interval:
    """A value and the ends of its 95 % confidence interval."""

    value: float
    low: float
    high: float

    def text(self, form: str = ".3g") -> str:
        """Format the interval, such as "0.31 (0.28 to 0.35)"."""
        return f"{self.value:{form}} ({self.low:{form}} to {self.high:{form}})"

    def as_list(self) -> list[float]:
        """Return [value, low, high]."""
        return [self.value, self.low, self.high]


def mean(values: Sequence[float]) -> Interval:
    """Return the mean, with a percentile bootstrap interval (Efron 1979) from a fixed seed."""
    numbers, chosen = np.asarray(values, np.float64), _resampled(len(values), RESAMPLES)
    return _interval(numbers.mean(), numbers[chosen].mean(-1))


def ratio(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the sum of `values` over that of `others`.

    Both are of the same pictures, which are resampled together.
    """
    over, under = np.asarray(values, np.float64), np.asarray(others, np.float64)
    chosen = _resampled(len(over), RESAMPLES)
    return _interval(over.sum() / under.sum(), over[chosen].sum(-1) / under[chosen].sum(-1))


def share(hits: Sequence[bool]) -> Interval:
    """Return the share of true values, with Wilson's interval (1927)."""
    return Interval(*share_with_interval(sum(map(bool, hits)), len(hits)))


def bootstrap(
    statistic: Callable[[NDArray[np.int64]], float], count: int, resamples: int
) -> Interval:
    """Return `statistic` of `count` pictures, with its bootstrap interval.

    The statistic takes picture numbers. The interval is from the 2.5 to the 97.5 percentile over
    pictures drawn with replacement. Raises ValueError for no picture.
    """
    drawn = [statistic(chosen) for chosen in _resampled(count, resamples)]
    return _interval(statistic(np.arange(count)), drawn)


@cache
def _resampled(count: int, resamples: int) -> NDArray[np.int64]:
    """Picture numbers drawn with replacement [resamples, count]."""
    if count < 1:
        raise ValueError("there is no picture to take a figure of")
    rng = np.random.default_rng(SEED)
    return np.stack([rng.integers(0, count, count) for _ in range(resamples)])


def _interval(value: float, drawn: Sequence[float] | NDArray[np.float64]) -> Interval:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(float(value), float(low), float(high))
