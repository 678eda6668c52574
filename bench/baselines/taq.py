"""TAQ and its controls, simulated: `taq_kernels.cross_attention` with protected tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import nn

from ...taq_kernels import PROTECT, AttentionSpec
from ...taq_kernels.families import is_cross_attention
from ...taq_kernels.spec import AS_MEASURED
from .activations import Dynamic
from .attention import RowAttention
from .layers import EMBEDDINGS, ENDS, TEXT_PROJECTIONS, LayerExceptions
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Context, Quantizer
from .simulate import SimulationConfig, simulate

ALL_ROWS = "TAQ, all rows"
"""TAQ that protects all tokens: nothing in cross-attention is quantized."""


@dataclass(frozen=True)
class TAQ:
    """Keys and values from the original text and weights, with protected tokens.

    Layers and cross-attention are those that TAQ Quantize Model runs. K and V of protected tokens,
    and their columns of A, stay exact; all other keys and values, Q, A, and the inputs of layers
    are quantized with dynamic scales. Products of self-attention, and first, last, time and label
    layers, stay in full precision.
    """

    name: str = "TAQ"
    protect: str = "trigger + BOS"
    """One of `taq_kernels.PROTECT` except "as measured"."""
    quantizer: Literal["uniform", "log"] = "uniform"
    """Quantizer of the attention weights."""
    per_tensor: bool = False
    """One scale for each picture's whole tensor, instead of one for each row."""
    attention_only: bool = False
    """Quantize Q, K, V and A of cross-attention only."""
    draw: int = 0
    """Number of the draw of "random rows"."""

    def __post_init__(self) -> None:
        known = [rows for rows in PROTECT if rows != AS_MEASURED]
        if self.protect not in known:
            raise ValueError(f"protect must be one of {', '.join(known)}; got {self.protect!r}")

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
        exceptions = LayerExceptions(
            full=("*",) if self.attention_only else (*ENDS, *EMBEDDINGS, *TEXT_PROJECTIONS)
        )
        return SimulationConfig(self._input, self._attention, exceptions, (), self.protect)

    def _input(self, name: str, bits: int) -> Quantizer:
        return Dynamic(bits, self.per_tensor)

    def _attention(self, name: str, bits: int, context: Context) -> RowAttention | None:
        if not is_cross_attention(name):
            return None
        spec = AttentionSpec(bits, bits, bits, self.quantizer, self.per_tensor)
        return RowAttention(spec.keeping(self.protect), context, self.protect, self.draw)
