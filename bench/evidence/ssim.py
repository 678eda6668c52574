"""Structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

WINDOW, DEVIATION = 11, 1.5
_C1, _C2 = 0.01**2, 0.03**2


def ssim(pictures: Tensor, reference: Tensor) -> Tensor:
    """Return [n]: the mean over channels and over all whole 11x11 Gaussian windows.

    Pictures are [n, C, H, W] in 0 to 1. Raises ValueError for different shapes or pictures smaller
    than the window.
    """
    if pictures.shape != reference.shape:
        raise ValueError(
            f"cannot compare shapes {tuple(pictures.shape)} and {tuple(reference.shape)}"
        )
    if min(pictures.shape[-2:]) < WINDOW:
        raise ValueError(
            f"pictures of {tuple(pictures.shape[-2:])} are smaller than the "
            f"{WINDOW}x{WINDOW} window"
        )
    x, y = pictures.double(), reference.double()
    mean_x, mean_y = _windowed(x), _windowed(y)
    variance_x, variance_y = _windowed(x * x) - mean_x**2, _windowed(y * y) - mean_y**2
    covariance = _windowed(x * y) - mean_x * mean_y
    luminance = (2 * mean_x * mean_y + _C1) / (mean_x**2 + mean_y**2 + _C1)
    structure = (2 * covariance + _C2) / (variance_x + variance_y + _C2)
    return (luminance * structure).flatten(1).mean(1)


def _windowed(x: Tensor) -> Tensor:
    """Return Gaussian-weighted means [n, C, H - 10, W - 10]."""
    distance = torch.arange(WINDOW, dtype=x.dtype) - WINDOW // 2
    weights = (-(distance**2) / (2 * DEVIATION**2)).exp()
    weights /= weights.sum()
    channels = x.shape[1]
    across = functional.conv2d(x, weights.expand(channels, 1, 1, WINDOW), groups=channels)
    return functional.conv2d(
        across, weights.view(-1, 1).expand(channels, 1, WINDOW, 1), groups=channels
    )
