"""Cross-attention with quantized queries, keys, values and attention weights; protected tokens stay
in full precision.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ..backends import registry
from ..backends.eager.attention import split_heads
from ..backends.quantized_kv import QuantizedKV
from ..quantizers import attention_quantize_dequantize
from ..quantizers.uniform import uniform_quantize_dequantize
from ..spec import AttentionSpec
from .kv_cache import LayerKV
from .kv_tokens import StoredTokens, protected_mask

MAX_WEIGHTS = 2**22
"""The most attention weights at a time: quantizing them takes five float32 tensors of that size."""


def cross_attention(
    q: Tensor, k: Tensor, v: Tensor, heads: int, protected: Tensor | None, spec: AttentionSpec
) -> Tensor:
    """Compute masked quantized attention (arXiv 2603.22943).

    K~ = M K + (1 - M) Q_a(K), V~ = M V + (1 - M) Q_a(V), Q~ = Q_a(Q),
    A^ = M_A A + (1 - M_A) Q_a(A); the result is A^ V~.

    q is [B, N, heads*d], k and v are [B, T, heads*d], and protected is bool [B, T]: True = the
    token's K and V, and its column of A, stay in full precision; None = no token is protected.
    Returns [B, N, heads*d] in the dtype of q. Unless `spec.per_tensor` is set, each token has its
    own scale for K and for V, and each query of each head has its own scale for Q and for A. Raises
    ValueError for shapes that do not fit.
    """
    _check_shapes(q, k, v, heads)
    k, v = quantized_tokens(k, v, protected, spec)
    return attend(q, k, v, heads, protected, spec)


def quantized_tokens(
    k: Tensor, v: Tensor, protected: Tensor | None, spec: AttentionSpec
) -> tuple[Tensor, Tensor]:
    """Return K~ and V~ [B, T, C] for keys and values [B, T, C].

    The tokens that are not `protected` are quantized to `spec.kv_bits`.
    """
    k, v = (
        StoredTokens.store(x, protected, spec.kv_bits, spec.per_tensor).dequantize() for x in (k, v)
    )
    return k, v


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    heads: int,
    protected: Tensor | None,
    spec: AttentionSpec,
    bias: Tensor | None = None,
) -> Tensor:
    """Like `cross_attention`, but for keys and values that were already quantized when they were
    stored (`spec.kv_bits` is not used).

    `bias` float [B, T] is added to the logits of tokens that stand for several (`TokenBias`).

    Scores and attention weights are computed in float32, whatever the dtypes. Where nothing is
    quantized, torch's own attention runs in the dtype of q.
    """
    _check_shapes(q, k, v, heads)
    if not spec.quantizes:
        queries, keys, values = (
            x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (q, k.to(q), v.to(q))
        )
        added = None if bias is None else bias[:, None, None].to(q)
        out = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=added)
        return out.transpose(1, 2).flatten(2)
    protected = protected_mask(k, protected)
    queries, keys, values = (split_heads(x, heads) for x in (q, k, v))
    if spec.q_bits is not None:
        queries = uniform_quantize_dequantize(queries, spec.q_bits, spec.per_tensor)
    if spec.a_bits is None:
        added = None if bias is None else bias[:, None, None]
        out = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=added)
    else:
        out = _attend_in_parts(queries, keys, values, bias, protected, spec)
    return out.transpose(1, 2).flatten(2).to(q.dtype)


def attend_stored(
    q: Tensor, layer: LayerKV, prompt_index: Tensor, heads: int, spec: AttentionSpec
) -> Tensor:
    """Like `attend`, with the stored keys and values of D prompts.

    `prompt_index` int64 [B] is the index of each batch entry's prompt.
    """
    tokens = layer.protected.shape[1]
    at = registry.machine(q.device)
    runs_on = registry.attention(at, spec.kv_bits, spec.per_tensor, spec.quantizer, tokens)
    if runs_on.name == registry.TORCH_ATTENTION:
        k, v = (stored.dequantize()[prompt_index] for stored in (layer.k, layer.v))
        bias = None if layer.bias is None else layer.bias.all[prompt_index]
        return attend(q, k, v, heads, layer.protected[prompt_index], spec, bias)
    return runs_on.attend(
        q.contiguous(),
        quantized_kv(layer, prompt_index, q.dtype),
        heads=heads,
        q_bits=spec.q_bits,
        a_bits=spec.a_bits,
        quantizer=spec.quantizer,
    )


def quantized_kv(layer: LayerKV, prompt_index: Tensor, dtype: torch.dtype) -> QuantizedKV:
    """The stored keys and values of `layer` in the form that kernels read.

    Tokens in full precision are converted to `dtype`. `prompt_index` is as in `attend_stored`.
    Raises ValueError for a layer without codes.
    """
    bias = () if layer.bias is None else (layer.bias.in_codes, layer.bias.in_full)
    tensors = [*layer.as_read(dtype), prompt_index, *bias]
    return QuantizedKV(layer.k.bits, *tensors)


def attention_weights(queries: Tensor, keys: Tensor, bias: Tensor | None = None) -> Tensor:
    """A = softmax(Q K^T / sqrt(d) + bias), [B, heads, N, T].

    The queries are [B, heads, N, d], the keys [B, heads, T, d]; `bias` is [B, T].
    """
    logits = queries @ keys.transpose(-1, -2) * queries.shape[-1] ** -0.5
    return torch.softmax(logits if bias is None else logits + bias[:, None, None], dim=-1)


def _attend_in_parts(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    bias: Tensor | None,
    protected: Tensor,
    spec: AttentionSpec,
) -> Tensor:
    """A^ V~ [B, heads, N, d], for as many queries at a time as MAX_WEIGHTS allows.

    One scale for the whole of A needs all at once.
    """
    count = queries.shape[2] if spec.per_tensor else MAX_WEIGHTS // keys.shape[:3].numel()
    parts = [
        _quantize_weights(attention_weights(part, keys, bias), protected, spec) @ values
        for part in queries.split(max(1, count), 2)
    ]
    return parts[0] if len(parts) == 1 else torch.cat(parts, 2)


def _quantize_weights(weights: Tensor, protected: Tensor, spec: AttentionSpec) -> Tensor:
    """A^ [B, heads, N, T]. A query's scale is taken only from its unprotected columns."""
    columns = protected[:, None, None, :]
    unprotected = weights.masked_fill(columns, 0)
    quantized = attention_quantize_dequantize(
        unprotected, spec.a_bits or 8, spec.quantizer, spec.per_tensor
    )
    return torch.where(columns, weights, quantized)


def _check_shapes(q: Tensor, k: Tensor, v: Tensor, heads: int) -> None:
    if q.dim() != 3 or k.dim() != 3 or v.shape != k.shape:
        raise ValueError(
            "q must be [B, N, heads*d], k and v [B, T, heads*d]; "
            f"got q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        )
    if q.shape[0] != k.shape[0] or q.shape[2] != k.shape[2]:
        raise ValueError(f"q {tuple(q.shape)} and k {tuple(k.shape)} differ in batch size or width")
    if heads < 1 or q.shape[2] % heads:
        raise ValueError(f"width {q.shape[2]} does not split into {heads} heads")
