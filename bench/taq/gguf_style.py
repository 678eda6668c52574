"""Weight-only Q8_0 and Q4_0 as in ComfyUI-GGUF: each use decodes the weight to floating point."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from .contender import Contender, layers, missing

BLOCK = 32
"""Values that share a scale, in the order of the weight in memory."""


def contenders(device: torch.device) -> list[Contender]:
    """Return Q8_0 (34 bytes per block) and Q4_0 (18)."""
    return [
        Contender(
            f"GGUF {kind}",
            "Linear, Conv2d: weights only",
            partial(_apply, kind),
            partial(missing, "gguf"),
        )
        for kind in ("Q8_0", "Q4_0")
    ]


class Decoded(nn.Module):
    """A Linear or Conv2d whose weight is stored in GGUF blocks."""

    blocks: Tensor

    def __init__(self, layer: nn.Linear | nn.Conv2d, kind: str) -> None:
        super().__init__()
        self.kind, self.shape, self.bias = kind, layer.weight.shape, layer.bias
        self.register_buffer("blocks", encode(layer.weight.detach(), kind))
        self.compute: Callable[..., Tensor] = functional.linear
        if isinstance(layer, nn.Conv2d):
            self.compute = partial(
                functional.conv2d,
                stride=layer.stride,
                padding=layer.padding,
                dilation=layer.dilation,
                groups=layer.groups,
            )

    def forward(self, x: Tensor) -> Tensor:
        """Compute the layer with its weight decoded for this call only."""
        return self.compute(
            x, decode(self.blocks, self.kind, x.dtype).view(self.shape), bias=self.bias
        )


def encode(weight: Tensor, kind: str) -> Tensor:
    """Return uint8 [blocks, bytes per block] on the weight's device, from the `gguf` package."""
    import gguf

    values = weight.float().cpu().reshape(-1, BLOCK).numpy()
    blocks = gguf.quantize(values, gguf.GGMLQuantizationType[kind])
    return torch.from_numpy(blocks).to(weight.device)


def decode(blocks: Tensor, kind: str, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the values [blocks, 32], computed in `dtype`.

    A block is its scale in float16 and its codes: int8, or 4 bits with 8 added, of which the lower
    halves of all bytes come first.
    """
    scale = blocks[:, :2].contiguous().view(torch.float16).to(dtype)
    codes = blocks[:, 2:]
    if kind == "Q8_0":
        return scale * codes.view(torch.int8)
    return scale * (torch.cat((codes & 15, codes >> 4), dim=1).view(torch.int8) - 8)


def _apply(kind: str, unet: nn.Module) -> nn.Module:
    for name, layer in layers(unet, nn.Linear, nn.Conv2d):
        if layer.weight.numel() % BLOCK == 0:
            unet.set_submodule(name, Decoded(layer, kind))
    return unet
