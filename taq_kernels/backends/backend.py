"""The backend chosen for an operation: its name, the reason for the choice, and its methods."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import Tensor

from .quantized_kv import QuantizedKV


class Norm(NamedTuple):
    """A GroupNorm: weight and bias [C], the number of groups, and what is added to a variance."""

    weight: Tensor
    bias: Tensor
    groups: int
    eps: float


class Backend(NamedTuple):
    """The backend chosen for an operation, and the reason for the choice.

    A subclass computes with the stored codes, in the method of its operation. For a plain `Backend`
    the caller decodes the codes and computes in torch.
    """

    name: str
    why: str

    def linear(self, x: Tensor, weight: Any, bias: Tensor | None) -> Tensor:
        """Multiply x [..., I] by the quantized tensor `weight` [O, I] and add `bias` [O].

        Each token of x is quantized to int8. Returns the dtype of x.
        """
        raise NotImplementedError(f"{self.name} does not compute Linear")

    def conv2d(self, x: Tensor, weight: Any, bias: Tensor | None, *geometry: list[int]) -> Tensor:
        """Convolve x [B, C, H, W] with the quantized tensor `weight` [O, C, kh, kw].

        Each pixel is quantized to int8. `geometry` is stride, padding and dilation, each (y, x).
        Returns the dtype of x.
        """
        raise NotImplementedError(f"{self.name} does not compute Conv2d")

    def normed_conv2d(
        self, x: Tensor, norm: Norm, weight: Any, bias: Tensor | None, *geometry: list[int]
    ) -> Tensor:
        """Like `conv2d` of SiLU(GroupNorm(x)), without writing these to memory."""
        raise NotImplementedError(f"{self.name} does not norm what it convolves")

    def gated_gelu(self, both: Tensor) -> Tensor:
        """Value * GELU(gate) [..., C] of `both` [..., 2 C]."""
        raise NotImplementedError(f"{self.name} does not compute GELU")

    def attend(
        self,
        q: Tensor,
        kv: QuantizedKV,
        *,
        heads: int,
        q_bits: int | None,
        a_bits: int | None,
        quantizer: str,
    ) -> Tensor:
        """Cross-attention of q [B, N, heads*d], like `eager.attention.mixed_attention`."""
        raise NotImplementedError(f"{self.name} does not compute attention")


Answer = Backend | str
"""What a function in `capabilities` returns: a `Backend`, or the reason why it does not run there.

"" = the machine is of another kind, which needs no reason.
"""
