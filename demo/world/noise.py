"""SD 1.5's noise schedule ("scaled linear") and the training loss of noise prediction."""

from __future__ import annotations

import torch
from torch import Tensor

STEPS = 1000
ALPHAS_CUMPROD: Tensor = torch.cumprod(
    1 - torch.linspace(0.00085**0.5, 0.012**0.5, STEPS, dtype=torch.float64) ** 2, 0
).float()
"""Cumulative products of alpha (Ho et al. 2020) [1000]: the signal's share of the variance.

There is one for each noise step. The square roots of the variances beta rise linearly.
"""


def add_noise(latents: Tensor, noise: Tensor, steps: Tensor) -> Tensor:
    """Add noise of the same shape to latents [B, C, H, W], at noise steps [B] (int64).

    sqrt(a) x + sqrt(1 - a) noise, a = ALPHAS_CUMPROD[step] (Ho et al. 2020, equation 4).
    """
    alphas = ALPHAS_CUMPROD[steps].view(-1, 1, 1, 1)
    return alphas.sqrt() * latents + (1 - alphas).sqrt() * noise


def loss_weight(steps: Tensor) -> Tensor:
    """Return min(SNR + 1, 5) / SNR, at most 50, for noise steps [B] of noise prediction.

    This is Min-SNR weighting (Hang et al. 2023) of the velocity (Salimans and Ho 2022). Where
    nearly all is noise, the error of the predicted noise is small for any picture, but there the
    words decide what is drawn.
    """
    alphas = ALPHAS_CUMPROD[steps]
    snr = alphas / (1 - alphas)
    return ((snr + 1).clamp(max=5) / snr).clamp(max=50)


def noise_loss(predicted: Tensor, noise: Tensor, steps: Tensor) -> Tensor:
    """Return the weighted mean squared error of predicted noise [B, C, H, W] at steps [B]."""
    return (loss_weight(steps) * (predicted - noise).square().mean(dim=(1, 2, 3))).mean()


def spread_steps(count: int) -> Tensor:
    """Return [count] noise steps: one at random from each of `count` equal ranges, shuffled."""
    return (
        ((torch.randperm(count) + torch.rand(count)) * (STEPS / count)).long().clamp(max=STEPS - 1)
    )
