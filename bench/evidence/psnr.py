"""Peak signal-to-noise ratio."""

from __future__ import annotations

from torch import Tensor


def psnr(pictures: Tensor, reference: Tensor) -> Tensor:
    """Return [n] in dB: -10 log10 of the mean squared error; inf where equal.

    Pictures are [n, 3, H, W] in 0 to 1. Raises ValueError for different shapes.
    """
    return -10 * squared_error(pictures, reference).log10()


def squared_error(x: Tensor, reference: Tensor) -> Tensor:
    """Return [n]: the mean squared error of each entry of x [n, ...].

    Raises ValueError for different shapes.
    """
    if x.shape != reference.shape:
        raise ValueError(f"cannot compare shapes {tuple(x.shape)} and {tuple(reference.shape)}")
    return (x.double() - reference.double()).square().flatten(1).mean(1)
