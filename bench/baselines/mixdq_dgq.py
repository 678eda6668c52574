"""The published tricks of MixDQ and DGQ in one method, simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import nn

from .dgq import DGQ
from .layers import TEXT_PROJECTIONS
from .method import Bits, Calibration, RoundedWeights, Simulated
from .simulate import simulate


@dataclass(frozen=True)
class MixDQDGQ:
    """DGQ, whose start token has keys and values from the original embedding and weights, as MixDQ.

    So activations have ranges for groups of channels or rows and for each step, attention weights
    are powers of two beside an exact column of the start token, and its K and V are exact before
    attention. What `MixDQ` and `DGQ` leave out is left out here too. MixDQ's two ranges for
    shortcuts on concatenated inputs are among DGQ's groups.
    """

    name: str = "MixDQ + DGQ"

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """As `Method`."""
        config = replace(
            DGQ().config,
            exact_start_rows=TEXT_PROJECTIONS,
            protected="start token's row of K and V and column of A",
        )
        return simulate(unet, calibration, bits, weights, config)
