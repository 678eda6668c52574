"""The part of MixDQ (Zhao et al. 2024) that concerns the text: the start token's row, simulated."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from .activations import MinMax, Split
from .layers import ENDS, TEXT_PROJECTIONS, Kept, concatenated_channels
from .method import Bits, Calibration, Simulated
from .points import Quantizer
from .simulate import Recipe, simulate
from .weights import RoundedWeights


@dataclass(frozen=True)
class MixDQ:
    """The start token's keys and values are projected from the original row and weights; the other rows, and every
    other input, have one static range (running min-max), shortcuts on concatenated inputs two. Products of attention
    stay in full precision.

    Left out: finding each layer's bits from measured sensitivities by integer programming. In place of the list of the
    most sensitive layers, the first and the last convolution stay in full precision.
    """

    name: str = "MixDQ (BOS row)"

    def quantize(
        self, unet: nn.Module, calibration: Calibration, bits: Bits, weights: RoundedWeights | None = None
    ) -> Simulated:
        """As `Method`."""
        halves = concatenated_channels(unet)

        def quantizer(name: str, bits: int) -> Quantizer:
            return Split(halves[name], MinMax(bits), MinMax(bits)) if name in halves else MinMax(bits)

        recipe = Recipe(quantizer, None, Kept(full=ENDS), TEXT_PROJECTIONS, "BOS row of the input of to_k and to_v")
        return simulate(unet, calibration, bits, weights, recipe)
