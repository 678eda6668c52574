"""What an attention quantizer is, and the codes it makes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor


class Codes(NamedTuple):
    """Integer codes of vectors [..., C], with a scale and a zero point for each vector."""

    q: Tensor
    """uint8 [..., C], 0..2^b - 1."""
    scale: Tensor
    """float32 [..., 1]."""
    zero: Tensor
    """uint8 [..., 1]."""


class Quantizer(ABC):
    """Quantizes attention weights: non-negative vectors, the last dimension of a tensor.

    Every vector has its own scale, and 0 is exact. Arithmetic is in float32.
    """

    name: str
    """As `AttentionSpec.quantizer` and the node's menu call it."""
    kernel: Literal["uniform", "log"] | None = None
    """Which quantizer of the Triton kernel computes the same values; None = the kernel has none,
    and attention with this quantizer runs in torch.
    """

    @abstractmethod
    def quantize(self, x: Tensor, bits: int) -> Any:
        """Codes of `bits` for x [..., C], in any form that `dequantize` takes."""

    @abstractmethod
    def dequantize(self, codes: Any, dtype: torch.dtype = torch.float32) -> Tensor:
        """The values [..., C] of codes, in `dtype`."""

    def quantize_dequantize(self, x: Tensor, bits: int) -> Tensor:
        """The values [..., C] that remain of x [..., C] at `bits`, in the dtype of x."""
        return self.dequantize(self.quantize(x, bits), x.dtype)
