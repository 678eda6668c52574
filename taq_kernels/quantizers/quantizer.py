"""The interface of quantizers for attention weights, and the codes that they make."""

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
    """Quantizes attention weights: non-negative vectors along the last dimension of a tensor.

    Each vector has its own scale, and 0 is exact. Arithmetic is in float32.
    """

    name: str
    """Its name in `AttentionSpec.quantizer` and in the node's menu."""
    kernel: Literal["uniform", "log"] | None = None
    """The quantizer of the Triton kernel that computes the same values; None = the kernel has none,
    and attention with this quantizer runs in torch.
    """

    @abstractmethod
    def quantize(self, x: Tensor, bits: int) -> Any:
        """Codes of `bits` for x [..., C], in any form that `dequantize` understands."""

    @abstractmethod
    def dequantize(self, codes: Any, dtype: torch.dtype = torch.float32) -> Tensor:
        """The values [..., C] of `codes`, in `dtype`."""

    def quantize_dequantize(self, x: Tensor, bits: int) -> Tensor:
        """Quantize x [..., C] to `bits` and decode it again, in the dtype of x."""
        return self.dequantize(self.quantize(x, bits), x.dtype)
