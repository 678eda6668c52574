"""MixDQ's treatment of the start token (Zhao et al. 2024), simulated."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from .layers import ENDS, TEXT_PROJECTIONS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated
from .q_diffusion import split_shortcuts
from .simulate import SimulationConfig, simulate


@dataclass(frozen=True)
class MixDQ:
    """The start token's keys and values come from the original embedding and weights.

    The other tokens, and every other input, have one static range (running min-max); shortcuts on
    concatenated inputs have two. Products of attention stay in full precision.

    Left out: finding each layer's bits from measured sensitivities by integer programming. In place
    of the list of the most sensitive layers, the first and the last convolution stay in full
    precision. All methods share the same rounded weights.
    """

    name: str = "MixDQ (BOS row)"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        protected = "BOS row of the input of to_k and to_v"
        config = SimulationConfig(
            split_shortcuts(unet), None, LayerExceptions(full=ENDS), TEXT_PROJECTIONS, protected
        )
        return simulate(unet, calibration, bits, weights, config)
