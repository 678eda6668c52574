"""Linear and Conv2d layers whose input passes a point, and which layers a method leaves alone."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

import torch
from torch import Tensor, nn

from ...taq_kernels import protected_tokens
from .points import Point

ENDS = ("conv_in", "conv_out")
EMBEDDINGS = ("time_embedding.*", "add_embedding.*")
TEXT_PROJECTIONS = ("*.attn2.to_k", "*.attn2.to_v")
SHORTCUTS = ("*.conv_shortcut",)
DOWN_CONVOLUTIONS = ("*.downsamplers.*.conv",)


@dataclass(frozen=True)
class LayerExceptions:
    """Patterns (as in `fnmatch`) of the names of layers that a method treats in another way."""

    full: tuple[str, ...] = ()
    """Weights and inputs stay in full precision."""
    input_full: tuple[str, ...] = ()
    """Inputs stay in full precision."""
    eight_bits: tuple[str, ...] = ()
    """Weights and inputs have 8 bits, whatever the others have."""


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether any of the patterns (as in `fnmatch`) matches the name."""
    return any(fnmatch(name, pattern) for pattern in patterns)


class SimulatedLayer(nn.Module):
    """A Linear or Conv2d with a quantized input; each token, or pixel, of it is a row."""

    def __init__(self, layer: nn.Module, point: Point) -> None:
        super().__init__()
        self.layer, self.point = layer, point

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output; x as the layer takes it."""
        if isinstance(self.layer, nn.Conv2d):
            return self.layer(self.point(x.movedim(1, -1)).movedim(-1, 1))
        return self.layer(self.point(x))


class ExactRowsLinear(nn.Module):
    """A Linear in which some rows of the text never meet a quantized weight or input."""

    def __init__(self, rounded: nn.Module, original: nn.Module) -> None:
        super().__init__()
        self.rounded, self.original = rounded, original

    def forward(self, x: Tensor) -> Tensor:
        """X [B, T, C]: the start rows by the original layer, all others by the rounded one."""
        start = start_rows(x.shape[1], x.device)
        others = self.rounded(x[:, ~start])
        out = others.new_empty(*x.shape[:2], others.shape[-1])
        out[:, start], out[:, ~start] = self.original(x[:, start]), others
        return out


def start_rows(rows: int, device: torch.device) -> Tensor:
    """Bool [rows]: where the start token stands in a text of 77 rows, or of several times as
    many.
    """
    return protected_tokens(torch.zeros(1, rows, device=device), "BOS")[0]


def concatenated_channels(unet: Any) -> dict[str, int]:
    """Name of each shortcut convolution on a concatenated input -> how many of its channels come
    from the block before (the others come over the skip connection).
    """
    channels = {}
    before = unet.mid_block.resnets[-1].out_channels
    for i, block in enumerate(unet.up_blocks):
        for j, resnet in enumerate(block.resnets):
            channels[f"up_blocks.{i}.resnets.{j}.conv_shortcut"] = before
            before = resnet.out_channels
    return channels
