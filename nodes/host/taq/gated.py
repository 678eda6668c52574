"""The gated GELU of the UNet's feed-forwards, run as one where a backend does it."""

from __future__ import annotations

import torch
from comfy.ldm.modules.attention import GEGLU

from ....taq_kernels.backends import registry


class Gated(GEGLU):
    """The host's GEGLU."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Project x [B, N, C] to values and gates, and return value * GELU(gate), [B, N, C']."""
        both = self.proj(x)
        return registry.gated_gelu(registry.machine(both.device)).gated_gelu(both)
