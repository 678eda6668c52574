"""A backend as the choice for one operation: its name, why it is the one, and how it computes."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import Tensor

from .quantized_kv import QuantizedKV


class Backend(NamedTuple):
    """The backend that computes an operation, and why it is that one.

    A subclass computes with stored codes, by the method of its operation. For this class itself the
    caller decodes what is stored and computes in torch.
    """

    name: str
    why: str

    def linear(self, x: Tensor, weight: Any, bias: Tensor | None) -> Tensor:
        """X [..., I] times the quantized tensor `weight` [O, I], plus `bias` [O], in the dtype of
        x; each token of x is quantized to int8.
        """
        raise NotImplementedError(f"{self.name} does not compute Linear")

    def conv2d(self, x: Tensor, weight: Any, bias: Tensor | None, *geometry: list[int]) -> Tensor:
        """Convolution of x [B, C, H, W] with the quantized tensor `weight` [O, C, kh, kw], in the
        dtype of x; each pixel is quantized to int8. `geometry` is stride, padding and dilation,
        (y, x) each.
        """
        raise NotImplementedError(f"{self.name} does not compute Conv2d")

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
        """Cross-attention of q [B, N, heads*d], as `eager.attention.mixed_attention`."""
        raise NotImplementedError(f"{self.name} does not compute attention")


Answer = Backend | str
"""What a declaration returns: a `Backend`, or the reason why not; "" = the machine is of another
kind.
"""
