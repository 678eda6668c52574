"""Attention processors of diffusers that quantize queries, keys, values and weights.

The weights are the attention weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...taq_kernels import AttentionSpec, cross_attention, protected_tokens
from ...taq_kernels.attention.cross_attention import attention_weights
from ...taq_kernels.backends.eager.attention import split_heads
from .layers import start_rows
from .points import Context, Point, Quantizer


class AttentionBits(NamedTuple):
    """Bits of queries, keys, values and attention weights; None = full precision."""

    q: int | None = None
    k: int | None = None
    v: int | None = None
    a: int | None = None


class PointAttention:
    """Attention where Q, K, V [B, tokens, heads*d] and A [B, heads, N, T] each have a point."""

    def __init__(self, q: Point, k: Point, v: Point, a: Point, keep_start: bool = False) -> None:
        """`keep_start`: the start token's row of K and column of A stay exact."""
        self.q, self.k, self.v, self.a, self._keep_start = q, k, v, a, keep_start
        self.bits = AttentionBits(*(point.quantizer.bits for point in (q, k, v, a)))

    def __call__(
        self,
        attn: Any,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor | None = None,
        **_: Any,
    ) -> Tensor:
        """Return [B, N, C] for `hidden_states` [B, N, C].

        For cross-attention, `encoder_hidden_states` is [B, T, dim].
        """
        context = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        q, v = self.q(attn.to_q(hidden_states)), self.v(attn.to_v(context))
        start = start_rows(context.shape[1], context.device) & self._keep_start
        k = except_at(self.k, attn.to_k(context), start, 1)
        weights = attention_weights(split_heads(q, attn.heads), split_heads(k, attn.heads))
        out = except_at(self.a, weights, start, -1) @ split_heads(v, attn.heads)
        return attn.to_out[0](out.transpose(1, 2).flatten(2))


def point_attention(
    make: Callable[[int], Quantizer],
    make_weights: Callable[[int], Quantizer],
    name: str,
    bits: int,
    context: Context,
    keep_start: bool = False,
) -> PointAttention:
    """Return the processor of the attention `name`.

    `make` gives the quantizers of `bits` for Q, K and V, `make_weights` that for A.
    """
    q, k, v = (context.point(f"{name}.{part}", make(bits)) for part in "qkv")
    return PointAttention(q, k, v, context.point(f"{name}.a", make_weights(bits)), keep_start)


class RowAttention:
    """`taq_kernels.cross_attention`: dynamic scales for each row, and protected tokens."""

    def __init__(
        self, spec: AttentionSpec, context: Context, protect: str = "none", draw: int = 0
    ) -> None:
        """`protect` is one of `taq_kernels.PROTECT`; "none" for self-attention.

        `draw` is the number of the draw of "random rows".
        """
        self._spec, self._context, self._protect, self._draw = spec, context, protect, draw
        self.bits = AttentionBits(spec.q_bits, spec.kv_bits, spec.kv_bits, spec.a_bits)

    def __call__(
        self,
        attn: Any,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor | None = None,
        **_: Any,
    ) -> Tensor:
        """As `PointAttention`.

        Raises ValueError where the token marks are missing or do not fit the text.
        """
        context = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        rows = None if self._protect == "none" else self._protected(context)
        q, k, v = attn.to_q(hidden_states), attn.to_k(context), attn.to_v(context)
        return attn.to_out[0](cross_attention(q, k, v, attn.heads, rows, self._spec))

    def _protected(self, text: Tensor) -> Tensor:
        marks = self._context.protected
        if marks is None or marks.shape != text.shape[:2]:
            found = None if marks is None else tuple(marks.shape)
            raise ValueError(
                f"row marks must be {tuple(text.shape[:2])}, one for each row of the text; got "
                f"{found}"
            )
        if self._protect == "EOS" and not (marks < 0).any():
            raise ValueError(
                "no end rows are marked; mark them with -1 to protect the end token and the padding"
            )
        return protected_tokens(marks, self._protect, draw=self._draw)


def except_at(quantize: Callable[[Tensor], Tensor], x: Tensor, exact: Tensor, dim: int) -> Tensor:
    """Quantize `x` except at the places `exact` (bool) along `dim`.

    Exact places do not count for the range either.
    """
    if not exact.any():
        return quantize(x)
    others = torch.nonzero(~exact)[:, 0]
    return x.index_copy(dim, others, quantize(x.index_select(dim, others)))
