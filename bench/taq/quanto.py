"""optimum-quanto: int8 or int4 weights of Linear and Conv2d, products in floating point."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn

from .contender import Contender, layers, missing


def contenders(device: torch.device) -> list[Contender]:
    """Return qint8 and qint4 weights, with activations unchanged."""
    return [
        Contender(
            f"optimum-quanto {kind}",
            "Linear, Conv2d: weights only",
            partial(_apply, kind),
            partial(missing, "optimum.quanto"),
            scales_in_model_dtype=True,
        )
        for kind in ("qint8", "qint4")
    ]


def _apply(kind: str, unet: nn.Module) -> nn.Module:
    from optimum.quanto import freeze, qtypes, quantize

    quantize(
        unet, weights=qtypes[kind], include=[name for name, _ in layers(unet, nn.Linear, nn.Conv2d)]
    )
    freeze(unet)
    return unet
