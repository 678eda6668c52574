"""Cross-attention in which each token of the text has bits of its own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...taq_kernels import AttentionSpec
from ...taq_kernels.attention.cross_attention import attention_weights
from ...taq_kernels.attention.token_sensitivity import token_sensitivity
from ...taq_kernels.backends.eager.attention import split_heads
from ...taq_kernels.quantizers.uniform import uniform_quantize_dequantize
from .attention import AttentionBits

CHOICES = (2, 4, 8, 16)
"""Bits of a token's keys and values; 16 = floating point."""
EXACT = CHOICES[-1]
_SCALE = 5
"""Bytes of the scale and the zero point of a token's keys, or of its values."""


class MixedAttention:
    """Cross-attention whose tokens have bits [B, T] (`CHOICES`) of their own.

    K and V of a token have its bits and a scale of their own. Its column of A has its bits too, but
    no fewer than the preset; a query's A has one scale for all columns of the same bits. Queries
    have the preset's bits. While `bits_of` is None everything is exact, and the sensitivity of each
    token is recorded.
    """

    def __init__(self, bits: int) -> None:
        self.bits = AttentionBits(bits, bits, bits, bits)
        self.bits_of: Tensor | None = None
        self.errors = torch.zeros(0)
        """[B, T, choices]: expected squared change of this layer's output by each token alone."""
        self.sizes: list[float] = []
        """Bytes of a token's K and V at each of `CHOICES`."""

    def __call__(
        self, attn: Any, hidden_states: Tensor, encoder_hidden_states: Tensor, **_: Any
    ) -> Tensor:
        """As `PointAttention`, for cross-attention."""
        q, text = attn.to_q(hidden_states), encoder_hidden_states
        k, v = attn.to_k(text), attn.to_v(text)
        bits = torch.full(k.shape[:2], EXACT) if self.bits_of is None else self.bits_of
        if self.bits_of is None:
            self._record(q, k, v, attn.heads)
        k, v = (_tokens(x, bits) for x in (k, v))
        queries, keys, values = (split_heads(x, attn.heads) for x in (q, k, v))
        if self.bits.q and (bits < EXACT).any():
            queries = uniform_quantize_dequantize(queries, self.bits.q)
        weights = _columns(attention_weights(queries, keys), bits, self.bits.a)
        return attn.to_out[0]((weights @ values).transpose(1, 2).flatten(2))

    def _record(self, q: Tensor, k: Tensor, v: Tensor, heads: int) -> None:
        width = k.shape[-1]
        self.sizes = [2 * (width * b / 8 + (0 if b == EXACT else _SCALE)) for b in CHOICES]
        weights = attention_weights(split_heads(q, heads), split_heads(k, heads))
        lengths = split_heads(v, heads).square().sum(-1)

        def error(bits: int) -> Tensor:
            of_text = token_sensitivity(q, k, v, heads, AttentionSpec(kv_bits=bits))
            columns = uniform_quantize_dequantize(weights, max(bits, self.bits.a or bits)) - weights
            return of_text + (columns.square().mean(2) * lengths).mean(1)

        errors = [error(bits) for bits in CHOICES[:-1]]
        self.errors = torch.stack([*errors, torch.zeros_like(errors[0])], -1).cpu()


def _tokens(x: Tensor, bits_of: Tensor) -> Tensor:
    """Quantize K or V [B, T, C], each token to its bits."""
    for bits in CHOICES[:-1]:
        rounded = uniform_quantize_dequantize(x, bits)
        x = torch.where(bits_of[..., None] == bits, rounded, x)
    return x


def _columns(weights: Tensor, bits_of: Tensor, fewest: int | None) -> Tensor:
    """Quantize A [B, heads, N, T], each column to its token's bits but no fewer than `fewest`."""
    if fewest is None:
        return weights
    bits_of = bits_of.clamp(min=fewest)[:, None, None]
    for bits in CHOICES[:-1]:
        group = bits_of == bits
        rounded = uniform_quantize_dequantize(weights.masked_fill(~group, 0), bits)
        weights = torch.where(group, rounded, weights)
    return weights
