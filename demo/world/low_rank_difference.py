"""The difference between a personalised model and its base, as low-rank factors of weights."""

from __future__ import annotations

import torch
from torch import Tensor, nn

DOWN, UP = ".down", ".up"
WHOLE_RANK = 6
"""Stored rank of a DreamBooth model's difference, which has full rank after training."""


def factors(difference: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the factors: weight name + ".down" [r, I] and + ".up" [O, r]; vectors by their name.

    `difference` is the result of training: a LoRA's own factors, or the change of each parameter.
    Matrices of the latter are cut to their WHOLE_RANK largest singular directions.
    """
    stored: dict[str, Tensor] = {}
    for name, value in difference.items():
        if name.endswith((".down.weight", ".up.weight")):
            layer, _, part = name.removesuffix(".weight").rpartition(".")
            stored[f"{layer}.weight.{part}"] = value.flatten(1)
        elif value.dim() < 2:
            stored[name] = value
        else:
            u, s, v = torch.linalg.svd(value.float().flatten(1), full_matrices=False)
            root = s[:WHOLE_RANK].sqrt()
            stored[name + DOWN], stored[name + UP] = (
                root[:, None] * v[:WHOLE_RANK],
                u[:, :WHOLE_RANK] * root,
            )
    return stored


@torch.no_grad()
def add_(unet: nn.Module, stored: dict[str, Tensor]) -> None:
    """Add a difference to the base's weights, in place."""
    for name, parameter in unet.named_parameters():
        if name in stored:
            parameter.add_(stored[name])
        elif name + DOWN in stored:
            parameter.add_((stored[name + UP] @ stored[name + DOWN]).reshape(parameter.shape))
