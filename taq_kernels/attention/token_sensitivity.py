"""How sensitive the output of a cross-attention layer is to the quantization of each token,
measured on its own queries.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..backends.eager.attention import split_heads
from ..spec import AttentionSpec
from .cross_attention import attention_weights
from .kv_tokens import StoredTokens


def token_sensitivity(q: Tensor, k: Tensor, v: Tensor, heads: int, spec: AttentionSpec) -> Tensor:
    """Expected squared change of the layer's output, to first order, when one token's K and V are
    quantized: float32 [B, T].

    With o = A V, token t's error e_k in K moves its logit by x_t = q e_k / sqrt(d), which moves o
    by A_t x_t (V_t - o); its error e_v in V moves o by A_t e_v. Both are squared and averaged over
    heads and queries. q [B, N, heads*d], k and v [B, T, heads*d]; zero where `spec` does not
    quantize keys and values.
    """
    k_error, v_error = (
        x - StoredTokens.store(x, None, spec.kv_bits, spec.per_tensor).dequantize() for x in (k, v)
    )
    queries, keys, values, k_error, v_error = (
        split_heads(x, heads) for x in (q, k, v, k_error, v_error)
    )
    weights = attention_weights(queries, keys)
    shift = queries @ k_error.transpose(-1, -2) * queries.shape[-1] ** -0.5
    distance = torch.cdist(weights @ values, values).square()
    change = weights.square() * (shift.square() * distance + v_error.square().sum(-1)[:, :, None])
    return change.mean(dim=(1, 2))


def most_sensitive_tokens(sensitivity: Tensor, count: Tensor) -> Tensor:
    """Bool [B, T]: in each batch entry the `count` int [B] tokens of the largest `sensitivity`
    [B, T].
    """
    rank = sensitivity.argsort(1, descending=True).argsort(1)
    return rank < count[:, None]
