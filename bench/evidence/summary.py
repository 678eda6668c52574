"""The cells of a run as rows of figures with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from . import intervals
from .compare import FULL, key, unpacked
from .frechet import frechet_distance
from .intervals import Interval
from .judge import SHARES
from .resumable_run import Cell, KeptRun

FRECHET_RESAMPLES = 100


@dataclass(frozen=True)
class Row:
    """One variant over all sources."""

    name: str
    figures: dict[str, Interval]
    """Each over all pictures of all sources that have it."""
    bytes: float
    """Of the weights."""
    key_value_bytes: float
    """Of a prompt's keys and values."""
    bops: float
    exact_rows: float
    """Rows of a prompt's text that stay exact, on average."""
    pictures: int
    seconds: float

    def named(self, name: str) -> Row:
        return replace(self, name=name)

    def as_dict(self) -> dict[str, object]:
        return vars(self) | {
            "figures": {name: found.as_list() for name, found in self.figures.items()}
        }


def rows_of(
    run: KeptRun,
    sources: Sequence[str],
    variants: Sequence[str],
    against: Mapping[str, str] | None = None,
) -> list[Row]:
    """Full precision and every variant, with all pictures of `sources` in one pool.

    `against`: variant -> the variant whose PSNR it is compared with, picture by picture.
    """
    cells = {
        name: [run.cells[key(source, name)] for source in sources] for name in (FULL, *variants)
    }
    rows = [_row(name, own, cells[FULL]) for name, own in cells.items()]
    gains = {name: _gain(cells[name], cells[other]) for name, other in (against or {}).items()}
    return [replace(row, figures=row.figures | gains.get(row.name, {})) for row in rows]


def _row(name: str, cells: Sequence[Cell], exact: Sequence[Cell]) -> Row:
    figures = {
        label: _interval(label, cells)
        for label in dict.fromkeys(x for cell in cells for x in cell["figures"])
    }
    if name != FULL and _pictures(cells, "features") > 1:
        figures["Fréchet"] = _frechet(_features(cells), _features(exact))
    if _pictures(exact, "real features") > 1:
        figures["Fréchet, real"] = _frechet(_features(cells), _features(exact, "real features"))
    return Row(
        name,
        figures,
        float(np.mean([cell["bytes"] for cell in cells])),
        float(np.mean([cell["K/V bytes"] for cell in cells])),
        float(np.mean([cell["bops"] for cell in cells])),
        float(np.mean([cell["exact rows"] for cell in cells])),
        max(
            (len(_pool(label, cells)) for label in figures if not label.startswith("Fréchet")),
            default=0,
        ),
        sum(cell["seconds"] for cell in cells),
    )


def _gain(cells: Sequence[Cell], others: Sequence[Cell]) -> dict[str, Interval]:
    """The pictures are the same ones, so their differences vary less than the figures do."""
    pairs = zip(_pool("PSNR", cells), _pool("PSNR", others), strict=True)
    return {"PSNR gain": intervals.mean([own - other for own, other in pairs])}


def _interval(label: str, cells: Sequence[Cell]) -> Interval:
    values = _pool(label, cells)
    return (
        intervals.share([value > 0.5 for value in values])
        if label in SHARES
        else intervals.mean(values)
    )


def _pool(label: str, cells: Sequence[Cell]) -> list[float]:
    return [value for cell in cells for value in cell["figures"].get(label, ())]


def _pictures(cells: Sequence[Cell], name: str) -> int:
    """How many have features of that name, 0 unless all cells have them.

    Of one alone there is no distance.
    """
    return (
        sum(cell[name]["shape"][0] for cell in cells) if all(name in cell for cell in cells) else 0
    )


def _features(cells: Sequence[Cell], name: str = "features") -> NDArray[np.float64]:
    return np.concatenate([unpacked(cell[name]) for cell in cells])


def _frechet(pictures: NDArray[np.float64], exact: NDArray[np.float64]) -> Interval:
    """The same cases are drawn by lot on both sides."""
    return intervals.bootstrap(
        partial(_distance, pictures, exact), len(pictures), FRECHET_RESAMPLES
    )


def _distance(
    pictures: NDArray[np.float64], exact: NDArray[np.float64], chosen: NDArray[np.int64]
) -> float:
    return frechet_distance(pictures[chosen], exact[chosen])
