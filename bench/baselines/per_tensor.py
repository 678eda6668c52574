"""Plain post-training quantization: one static range for each tensor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from torch import nn

from .activations import MinMax
from .attention import point_attention
from .layers import EMBEDDINGS, ENDS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Quantizer
from .simulate import SimulationConfig, simulate


@dataclass(frozen=True)
class PerTensor:
    """One static range (running min-max) for each input, and each of Q, K, V and A.

    First, last, time and label layers stay in full precision, as with TAQ. No token of the text is
    protected.
    """

    name: str = "per tensor"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        config = SimulationConfig(
            _input,
            partial(point_attention, MinMax, MinMax),
            LayerExceptions(full=(*ENDS, *EMBEDDINGS)),
        )
        return simulate(unet, calibration, bits, weights, config)


def _input(name: str, bits: int) -> Quantizer:
    return MinMax(bits)
