"""ComfyUI's own quantized formats, int8_tensorwise and asym_w4a8_int8.

They quantize only Linear layers, as in ComfyUI.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import nn

from ...taq_kernels.backends import registry
from ...taq_kernels.layouts.linear_int4 import NAME as INT4_LINEAR
from ...taq_kernels.layouts.linear_int8 import NAME as INT8_LINEAR
from .contender import Contender, layers

ROTATIONS = (256, 64, 16)
"""Group sizes, powers of 4; the largest that divides the input features is used.

The CUDA kernels for 4 bits take only the first.
"""


def contenders(device: torch.device) -> list[Contender]:
    """Return the int8 format in two forms, and the 4-bit format.

    One int8 form has a scale per tensor, which is the format's default; the other has a scale per
    matrix row after a rotation (convrot).
    """
    simulated = registry.int8_products(registry.machine(device)).name == registry.FLOAT
    kinds: list[tuple[str, str, dict[str, Any]]] = [
        ("ComfyUI int8_tensorwise", INT8_LINEAR, {}),
        ("ComfyUI int8_tensorwise, convrot", INT8_LINEAR, {"per_channel": True, "convrot": True}),
        ("ComfyUI asym_w4a8_int8", INT4_LINEAR, {"group_size": 16}),
    ]
    return [
        Contender(
            name,
            "Linear",
            partial(_apply, layout, options, _rotations(layout, device)),
            simulated=simulated,
        )
        for name, layout, options in kinds
    ]


def _rotations(layout: str, device: torch.device) -> Sequence[int]:
    return ROTATIONS[:1] if layout == INT4_LINEAR and device.type == "cuda" else ROTATIONS


def _apply(
    layout: str, options: dict[str, Any], rotations: Sequence[int], unet: nn.Module
) -> nn.Module:
    for _, layer in layers(unet, nn.Linear):
        weight = layer.weight.detach()
        rotation = next((size for size in rotations if weight.shape[1] % size == 0), None)
        if options and rotation is None:
            continue
        rotated = options | {"convrot_groupsize": rotation} if options else options
        quantized = QuantizedTensor.from_float(weight.float(), layout, **rotated).to(weight.dtype)
        layer.weight = nn.Parameter(quantized, requires_grad=False)
    return unet
