"""TFMQ-DM (Huang et al. 2024), simulated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from torch import nn

from .activations import MinMax, PerStep
from .attention import PointAttention, point_attention
from .layers import DOWN_CONVOLUTIONS, ENDS, SHORTCUTS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Context, Quantizer
from .simulate import SimulationConfig, simulate

SOFTMAX_BITS = 8


@dataclass(frozen=True)
class TFMQDM:
    """Each sampling step has its own static ranges (running min-max), one for each tensor.

    In full precision: the first time layer, the first and the last convolution, shortcut and
    downsampling convolutions; also the inputs of the layers right after the first two of these.
    Attention weights have 8 bits. Left out: reconstructing the time embedding and its projections
    as one block (all methods share the same rounded weights).
    """

    name: str = "TFMQ-DM"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        exceptions = LayerExceptions(
            full=("time_embedding.linear_1", *ENDS, *SHORTCUTS, *DOWN_CONVOLUTIONS),
            input_full=("time_embedding.linear_2", "down_blocks.0.resnets.0.conv1"),
        )
        return simulate(
            unet, calibration, bits, weights, SimulationConfig(_input, _attention, exceptions)
        )


def _of_steps(bits: int) -> PerStep:
    return PerStep(partial(MinMax, bits))


def _input(name: str, bits: int) -> Quantizer:
    return _of_steps(bits)


def _attention(name: str, bits: int, context: Context) -> PointAttention:
    return point_attention(_of_steps, lambda _: _of_steps(SOFTMAX_BITS), name, bits, context)
