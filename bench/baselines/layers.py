"""Linear and Conv2d layers with a quantized input, and the layers a method leaves unchanged."""

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
    """Patterns (as in `fnmatch`) of the names of layers that a method treats differently."""

    full: tuple[str, ...] = ()
    """Weights and inputs stay in full precision."""
    input_full: tuple[str, ...] = ()
    """Inputs stay in full precision."""
    eight_bits: tuple[str, ...] = ()
    """Weights and inputs have 8 bits, whatever the other layers have."""


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether any of the patterns (as in `fnmatch`) matches the name."""
    return any(fnmatch(name, pattern) for pattern in patterns)


class SimulatedLayer(nn.Module):
    """A Linear or Conv2d with a quantized input, in which each token or pixel is a row."""

    def __init__(self, layer: nn.Module, point: Point) -> None:
        super().__init__()
        self.layer, self.point = layer, point

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output; x has the shape that the layer takes."""
        if isinstance(self.layer, nn.Conv2d):
            return self.layer(self.point(x.movedim(1, -1)).movedim(-1, 1))
        return self.layer(self.point(x))


class ExactRowsLinear(nn.Module):
    """A Linear whose output for the start token is computed without quantization."""

    def __init__(self, rounded: nn.Module, original: nn.Module) -> None:
        super().__init__()
        self.rounded, self.original = rounded, original

    def forward(self, x: Tensor) -> Tensor:
        """Apply the original layer to the start tokens of x [B, T, C], else the rounded one."""
        start = start_rows(x.shape[1], x.device)
        others = self.rounded(x[:, ~start])
        out = others.new_empty(*x.shape[:2], others.shape[-1])
        out[:, start], out[:, ~start] = self.original(x[:, start]), others
        return out


def start_rows(rows: int, device: torch.device) -> Tensor:
    """Return bool [rows]: True at start tokens, for a text of 77 tokens or a multiple of that."""
    return protected_tokens(torch.zeros(1, rows, device=device), "BOS")[0]


def concatenated_channels(unet: Any) -> dict[str, int]:
    """Map each shortcut convolution on a concatenated input to its channels from the block before.

    The other channels come over the skip connection. The keys are the names of the convolutions.
    """
    channels = {}
    before = unet.mid_block.resnets[-1].out_channels
    for i, block in enumerate(unet.up_blocks):
        for j, resnet in enumerate(block.resnets):
            channels[f"up_blocks.{i}.resnets.{j}.conv_shortcut"] = before
            before = resnet.out_channels
    return channels
