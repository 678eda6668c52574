"""The gated GELU of a feed-forward, in torch."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def gated_gelu(both: Tensor) -> Tensor:
    """Value * GELU(gate) [..., C] of `both` [..., 2 C], which holds the values and then the gates.

    It is exact GELU (Hendrycks and Gimpel, 2016), in a feed-forward as by Shazeer (2020).
    """
    value, gate = both.chunk(2, dim=-1)
    return value * functional.gelu(gate)
