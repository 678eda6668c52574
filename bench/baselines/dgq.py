"""DGQ (Ryu et al. 2025), simulated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from .activations import PerStep, Uncalibrated
from .attention import PointAttention, point_attention
from .grouped import Grouped
from .layers import ENDS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Context, Quantizer
from .simulate import SimulationConfig, simulate


@dataclass(frozen=True)
class DGQ:
    """Inputs, Q, K and V in `groups` groups of channels or rows, with ranges for each step.

    Attention weights are powers of two times the largest value of the whole tensor, which is found
    dynamically. In cross-attention the start token's K and its column of A stay exact (its V does
    not), and the largest value is that of the other columns. The first and the last convolution
    stay in full precision.

    Differences from the publication: a convolution's groups are of its input's channels or pixels,
    not of the unfolded input's channels times taps, whose ranges differ from these only at the
    picture's border. Groups come from `kmeans`, not scikit-learn's. All methods share the same
    rounded weights.
    """

    name: str = "DGQ"
    groups: int = 16

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        return simulate(unet, calibration, bits, weights, self.config)

    @property
    def config(self) -> SimulationConfig:
        """What happens to each layer and each attention."""
        exceptions, protected = LayerExceptions(full=ENDS), "start token's row of K and column of A"
        return SimulationConfig(self._input, self._attention, exceptions, (), protected)

    def _input(self, name: str, bits: int) -> Quantizer:
        return self._of_steps(bits)

    def _attention(self, name: str, bits: int, context: Context) -> PointAttention:
        keep_start = name.endswith(".attn2")
        return point_attention(self._of_steps, PowersOfTwo, name, bits, context, keep_start)

    def _of_steps(self, bits: int) -> PerStep:
        return PerStep(partial(Grouped, bits, self.groups))


class PowersOfTwo(Uncalibrated):
    """x_hat = d 2^-q, q = clip(round(-log2(x/d)), 0, 2^b - 1), for x >= 0.

    d is the largest value of x; 0 becomes d 2^-(2^b - 1). The scale is that of the whole tensor, so
    a result depends on what else is in its batch.
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """Quantize x in powers of two times its largest value."""
        greatest = x.max()
        q = torch.round(-torch.log2(x / greatest)).clamp(0, 2**self.bits - 1)
        return greatest * torch.exp2(-q)
