"""Q-Diffusion (Li et al. 2023), simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from .activations import MinMax, Split
from .attention import PointAttention, point_attention
from .layers import concatenated_channels
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Context, Quantizer
from .simulate import SimulationConfig, simulate

SOFTMAX_BITS = 16
"""Bits of the attention weights, in the published settings for Stable Diffusion."""


@dataclass(frozen=True)
class QDiffusion:
    """Every layer is quantized; each input, Q, K, V and A has one static range (running min-max).

    Shortcut convolutions on concatenated inputs have two ranges: the halves have different sources
    and differ in range. Attention weights have 16 bits, and zero stays zero.

    Left out: learning the activations' step sizes after the min-max (LSQ); separate weight scales
    for the halves of a shortcut (all methods share the same rounded weights).
    """

    name: str = "Q-Diffusion"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        return simulate(
            unet, calibration, bits, weights, SimulationConfig(split_shortcuts(unet), _attention)
        )


def split_shortcuts(unet: nn.Module) -> Callable[[str, int], Quantizer]:
    """Return a function from a layer's name and bits to its input quantizer.

    It has one static range, or two for a shortcut on concatenated inputs.
    """
    halves = concatenated_channels(unet)

    def quantizer(name: str, bits: int) -> Quantizer:
        return Split(halves[name], MinMax(bits), MinMax(bits)) if name in halves else MinMax(bits)

    return quantizer


def _attention(name: str, bits: int, context: Context) -> PointAttention:
    return point_attention(MinMax, lambda _: MinMax(SOFTMAX_BITS), name, bits, context)
