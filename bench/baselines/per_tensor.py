"""Plain post-training quantization: one static range for each tensor."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from ...taq_kernels.families import is_cross_attention
from .activations import MinMax
from .attention import PointAttention, point_attention
from .layers import EMBEDDINGS, ENDS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Context, Quantizer
from .simulate import SimulationConfig, simulate


@dataclass(frozen=True)
class PerTensor:
    """One static range (running min-max) for each input, and each of cross-attention's Q, K, V, A.

    Products of self-attention, and first, last, time and label layers, stay in full precision, as
    with TAQ. No token of the text is protected.
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
            _attention,
            LayerExceptions(full=(*ENDS, *EMBEDDINGS)),
        )
        return simulate(unet, calibration, bits, weights, config)


def _attention(name: str, bits: int, context: Context) -> PointAttention | None:
    if not is_cross_attention(name):
        return None
    return point_attention(MinMax, MinMax, name, bits, context)


def _input(name: str, bits: int) -> Quantizer:
    return MinMax(bits)
