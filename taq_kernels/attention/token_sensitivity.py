"""How sensitive the output of a cross-attention layer is to the quantization of each token.

It is computed from the layer's own queries, keys and values.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..backends.eager.attention import split_heads
from ..spec import AttentionSpec
from .cross_attention import attention_weights
from .kv_tokens import StoredTokens


def token_sensitivity(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    heads: int,
    spec: AttentionSpec,
    counts: Tensor | None = None,
) -> Tensor:
    """Expected squared change of the layer's output when one token's K and V are quantized.

    Returns float32 [B, T], to first order; zero where `spec` does not quantize keys and values. q
    is [B, N, heads*d], k and v are [B, T, heads*d]; `counts` [B, T] is how many tokens each stands
    for (None = one).

    With o = A V, token t's error e_k in K changes its logit by x_t = q e_k / sqrt(d), which changes
    o by A_t x_t (V_t - o); its error e_v in V changes o by A_t e_v. Both changes are squared, and
    their sum is averaged over heads and queries.
    """
    k_error, v_error = (
        x - StoredTokens.store(x, None, spec.kv_bits, spec.per_tensor).dequantize() for x in (k, v)
    )
    queries, keys, values, k_error, v_error = (
        split_heads(x, heads) for x in (q, k, v, k_error, v_error)
    )
    bias = None if counts is None else counts.float().log()
    weights = attention_weights(queries, keys, bias)
    shift = queries @ k_error.transpose(-1, -2) * queries.shape[-1] ** -0.5
    distance = torch.cdist(weights @ values, values).square()
    change = weights.square() * (shift.square() * distance + v_error.square().sum(-1)[:, :, None])
    return change.mean(dim=(1, 2))


def most_sensitive_tokens(sensitivity: Tensor, count: Tensor) -> Tensor:
    """Bool [B, T]: the tokens with the largest `sensitivity` [B, T], `count` int [B] of them in
    each batch entry.
    """
    rank = sensitivity.argsort(1, descending=True).argsort(1)
    return rank < count[:, None]
