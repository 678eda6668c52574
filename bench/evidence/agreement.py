"""Errors of a quantized UNet's noise against full precision.

They are measured for each branch of guidance, and for the noise that the sampler uses.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..baselines.method import Call, guided
from .sampler import Denoiser


@torch.no_grad()
def eps_errors(model: Denoiser, calls: Sequence[Call], guidance: float) -> dict[str, Tensor]:
    """Return branch -> [n]: |eps - reference| / |reference| (L2) of each picture.

    Errors are averaged over `calls`, which are of the same pictures. The latents are those of full
    precision, so each error is of one step. Without guidance there is only "cond". Raises
    ValueError for no call.
    """
    if not calls:
        raise ValueError("there is no recorded call to compare with")
    errors = [_errors(model, call, guidance) for call in calls]
    return {
        branch: torch.stack([error[branch] for error in errors]).mean(0) for branch in errors[0]
    }


def _errors(model: Denoiser, call: Call, guidance: float) -> dict[str, Tensor]:
    eps = model.eps(call.latents, call.timestep, call.text, call.added, call.step, call.protected)
    found = {"cond": relative(eps[call.conditional], call.eps[call.conditional])}
    if call.conditional.all():
        return found
    used = model.correct(guided(eps, call.conditional, guidance), call.step)
    found["uncond"] = relative(eps[~call.conditional], call.eps[~call.conditional])
    return found | {"guided": relative(used, guided(call.eps, call.conditional, guidance))}


def relative(x: Tensor, reference: Tensor) -> Tensor:
    """Return [n]: |x - reference| / |reference| in the L2 norm of each entry."""
    return (x - reference).flatten(1).norm(dim=1) / reference.flatten(1).norm(dim=1)
