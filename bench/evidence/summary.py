"""Summarize the measurements of a run as rows of metrics with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from . import intervals
from .compare import key, unpacked
from .drawn import FULL
from .frechet import distance_to, frechet_distance
from .intervals import Interval
from .judge import SHARES
from .resumable_run import Measurement, ResumableRun

FRECHET_RESAMPLES = 100


@dataclass(frozen=True)
class MethodRow:
    """A variant over all sources."""

    name: str
    metrics: dict[str, Interval]
    """Each metric is over all pictures of all sources that have it."""
    bytes: float
    """Bytes of the weights."""
    key_value_bytes: float
    """Bytes of a prompt's keys and values."""
    bops: float
    exact_rows: float
    """Number of a prompt's tokens that stay exact, on average."""
    pictures: int
    seconds: float

    def named(self, name: str) -> MethodRow:
        """Return the same row with another name."""
        return replace(self, name=name)

    def as_dict(self) -> dict[str, object]:
        """Return the row as stored in results, where its metrics are called "figures"."""
        rest = {
            name: value for name, value in vars(self).items() if name not in ("name", "metrics")
        }
        metrics = {name: found.as_list() for name, found in self.metrics.items()}
        return {"name": self.name, "figures": metrics, **rest}


def rows_of(
    run: ResumableRun,
    sources: Sequence[str],
    variants: Sequence[str],
    against: Mapping[str, str] | None = None,
) -> list[MethodRow]:
    """Return rows for full precision and every variant, over all pictures of `sources`.

    `against` maps a variant to the variant whose PSNR it is compared with, picture by picture.
    """
    measured = {
        name: [run.measurements[key(source, name)] for source in sources]
        for name in (FULL, *variants)
    }
    rows = [_row(name, own, measured[FULL]) for name, own in measured.items()]
    gains = {
        name: _gain(measured[name], measured[other]) for name, other in (against or {}).items()
    }
    return [replace(row, metrics=row.metrics | gains.get(row.name, {})) for row in rows]


def _row(name: str, measured: Sequence[Measurement], exact: Sequence[Measurement]) -> MethodRow:
    labels = dict.fromkeys(label for one in measured for label in one["figures"])
    metrics = {label: _interval(label, measured) for label in labels}
    if name != FULL and _pictures(measured, "features") > 1:
        metrics["Fréchet"] = _frechet(_features(measured), _features(exact))
    if _pictures(exact, "real features") > 1:
        metrics["Fréchet, real"] = _frechet(_features(measured), _features(exact, "real features"))
    return MethodRow(
        name,
        metrics,
        float(np.mean([one["bytes"] for one in measured])),
        float(np.mean([one["K/V bytes"] for one in measured])),
        float(np.mean([one["bops"] for one in measured])),
        float(np.mean([one["exact rows"] for one in measured])),
        max((len(_pool(label, measured)) for label in labels), default=0),
        sum(one["seconds"] for one in measured),
    )


def _gain(measured: Sequence[Measurement], others: Sequence[Measurement]) -> dict[str, Interval]:
    """Return the mean difference in PSNR, picture by picture.

    The pictures are the same ones, so their differences vary less than the metrics do.
    """
    pairs = zip(_pool("PSNR", measured), _pool("PSNR", others), strict=True)
    return {"PSNR gain": intervals.mean([own - other for own, other in pairs])}


def _interval(label: str, measured: Sequence[Measurement]) -> Interval:
    values = _pool(label, measured)
    return (
        intervals.share([value > 0.5 for value in values])
        if label in SHARES
        else intervals.mean(values)
    )


def _pool(label: str, measured: Sequence[Measurement]) -> list[float]:
    return [value for one in measured for value in one["figures"].get(label, ())]


def _pictures(measured: Sequence[Measurement], name: str) -> int:
    """Return how many pictures have features of that name; 0 unless all measurements have them.

    A Fréchet distance needs more than one.
    """
    return (
        sum(one[name]["shape"][0] for one in measured)
        if all(name in one for one in measured)
        else 0
    )


def _features(measured: Sequence[Measurement], name: str = "features") -> NDArray[np.float64]:
    return np.concatenate([unpacked(one[name]) for one in measured])


def _frechet(pictures: NDArray[np.float64], exact: NDArray[np.float64]) -> Interval:
    """Return the distance; the bootstrap resamples the same cases on both sides.

    Where they are not of the same cases, because there are not as many, it resamples `pictures`.
    """
    if len(pictures) != len(exact):
        distance = distance_to(exact)
        return intervals.bootstrap(
            lambda chosen: distance(pictures[chosen]), len(pictures), FRECHET_RESAMPLES
        )
    return intervals.bootstrap(
        partial(_distance, pictures, exact), len(pictures), FRECHET_RESAMPLES
    )


def _distance(
    pictures: NDArray[np.float64], exact: NDArray[np.float64], chosen: NDArray[np.int64]
) -> float:
    return frechet_distance(pictures[chosen], exact[chosen])
