"""What makes a model personal, as low-rank factors of its base's weights: small to keep, exact
enough to draw.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

DOWN, UP = ".down", ".up"
WHOLE_RANK = 6
"""Of a DreamBooth model's difference, which a whole training leaves at full rank."""


def factors(difference: dict[str, Tensor]) -> dict[str, Tensor]:
    """Weight name + ".down" [r, I] and + ".up" [O, r]; vectors by their name.

    `difference` is what training left: a LoRA's own factors, or the change of each parameter, whose
    matrices are cut to their WHOLE_RANK largest singular directions.
    """
    kept: dict[str, Tensor] = {}
    for name, value in difference.items():
        if name.endswith((".down.weight", ".up.weight")):
            layer, _, part = name.removesuffix(".weight").rpartition(".")
            kept[f"{layer}.weight.{part}"] = value.flatten(1)
        elif value.dim() < 2:
            kept[name] = value
        else:
            u, s, v = torch.linalg.svd(value.float().flatten(1), full_matrices=False)
            root = s[:WHOLE_RANK].sqrt()
            kept[name + DOWN], kept[name + UP] = (
                root[:, None] * v[:WHOLE_RANK],
                u[:, :WHOLE_RANK] * root,
            )
    return kept


@torch.no_grad()
def add_(unet: nn.Module, kept: dict[str, Tensor]) -> None:
    """Adds a difference to the base's weights, in place."""
    for name, parameter in unet.named_parameters():
        if name in kept:
            parameter.add_(kept[name])
        elif name + DOWN in kept:
            parameter.add_((kept[name + UP] @ kept[name + DOWN]).reshape(parameter.shape))
