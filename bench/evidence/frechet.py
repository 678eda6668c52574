"""The Fréchet distance of two sets of features, as in FID (Heusel et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.floating]


def frechet_distance(x: Features, y: Features) -> float:
    """Return |m_x - m_y|^2 + tr(C_x + C_y - 2 (C_x C_y)^(1/2)), in float64.

    The features are [n, d] and [m, d]. With fewer pictures than features the covariances are
    singular: the distance is defined, but larger than that of the populations, so compare only
    distances of equally many pictures. Raises ValueError for fewer than two pictures, and for
    features of different lengths.
    """
    if min(len(x), len(y)) < 2 or x.shape[1:] != y.shape[1:]:
        raise ValueError(
            f"features must be two sets of at least two rows of equal length; got {x.shape} and "
            f"{y.shape}"
        )
    (mean_x, cov_x), (mean_y, cov_y) = (_moments(part) for part in _in_their_span(x, y))
    root_x = _root(cov_x)
    # tr (C_x C_y)^(1/2) = tr (R C_y R)^(1/2) with R = C_x^(1/2); R C_y R is symmetric.
    cross = np.sqrt(np.clip(np.linalg.eigvalsh(root_x @ cov_y @ root_x), 0, None)).sum()
    distance = ((mean_x - mean_y) ** 2).sum() + np.trace(cov_x) + np.trace(cov_y) - 2 * cross
    return max(float(distance), 0.0)


def distance_to(y: Features) -> Callable[[Features], float]:
    """Return the function `frechet_distance` of other features to `y`, made ready for many calls.

    Few features are quick, however long they are.
    """
    mean_y, cov_y = _moments(y.astype(np.float64))
    root, trace = _root(cov_y), np.trace(cov_y)

    def distance(x: Features) -> float:
        if len(x) < 2 or x.shape[1:] != y.shape[1:]:
            raise ValueError(f"features must be two rows or more of {y.shape[1]}; got {x.shape}")
        mean_x = x.mean(0, dtype=np.float64)
        centred = (x - mean_x) / np.sqrt(len(x) - 1)
        rooted = centred @ root
        few = len(x) < x.shape[1]  # both products have the same eigenvalues, but for zeros
        product = rooted @ rooted.T if few else rooted.T @ rooted
        cross = np.sqrt(np.clip(np.linalg.eigvalsh(product), 0, None)).sum()
        return max(
            float(((mean_x - mean_y) ** 2).sum() + (centred**2).sum() + trace - 2 * cross), 0.0
        )

    return distance


def _in_their_span(x: Features, y: Features) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Express both in an orthonormal basis of their span, where that has fewer dimensions.

    No distance changes.
    """
    both = np.concatenate([x, y]).astype(np.float64)
    if len(both) < both.shape[1]:
        both = both @ np.linalg.qr(both.T)[0]
    return both[: len(x)], both[len(x) :]


def _moments(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return x.mean(0), np.atleast_2d(np.cov(x, rowvar=False))


def _root(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the square root of a symmetric matrix without negative eigenvalues."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
