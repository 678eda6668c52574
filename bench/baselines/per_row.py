"""Plain quantization with a dynamic scale for each row."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from ...taq_kernels import AttentionSpec
from ...taq_kernels.families import is_cross_attention
from .activations import Dynamic
from .attention import RowAttention
from .layers import EMBEDDINGS, ENDS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Context, Quantizer
from .simulate import SimulationConfig, simulate


@dataclass(frozen=True)
class PerRow:
    """Each token, pixel, and row of Q, K, V and A has its own dynamic scale: no calibration.

    Layers and cross-attention compute as TAQ's do, and products of self-attention stay in full
    precision, as first, last, time and label layers do. No token of the text is protected; keys and
    values come from rounded weights and quantized inputs.
    """

    name: str = "per row"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        config = SimulationConfig(_input, _attention, LayerExceptions(full=(*ENDS, *EMBEDDINGS)))
        return simulate(unet, calibration, bits, weights, config)


def _input(name: str, bits: int) -> Quantizer:
    return Dynamic(bits)


def _attention(name: str, bits: int, context: Context) -> RowAttention | None:
    if not is_cross_attention(name):
        return None
    return RowAttention(AttentionSpec(bits, bits, bits), context)
