"""Cross-attention with quantized queries, keys, values and attention weights, and the protected
rows left exact.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ..backends import operators, registry
from ..backends.eager.attention import MAX_ROWS, split_heads
from ..quantizers import attention_quantize_dequantize
from ..quantizers.uniform import uniform_quantize_dequantize
from ..spec import AttentionSpec
from .kv_cache import LayerKV
from .kv_tokens import StoredRows, row_mask


def cross_attention(
    q: Tensor, k: Tensor, v: Tensor, heads: int, protected: Tensor | None, spec: AttentionSpec
) -> Tensor:
    """Masked quantized attention: K~ = M K + (1 - M) Q_a(K), V~ = M V + (1 - M) Q_a(V), Q~ =
    Q_a(Q), A^ = M_A A + (1 - M_A) Q_a(A), and the result A^ V~.

    q [B, N, heads*d], k and v [B, T, heads*d], protected bool [B, T] (True = the row of K and V,
    and its column of A, stay in full precision; None = no row). Returns [B, N, heads*d] in the
    dtype of q. Every row has its own scale: a token's row of K or V, a head's row of Q or A. Raises
    ValueError for shapes that do not fit.
    """
    _check_shapes(q, k, v, heads)
    k_rows, v_rows = quantized_rows(k, v, protected, spec)
    return attend(q, k_rows, v_rows, heads, protected, spec)


def quantized_rows(
    k: Tensor, v: Tensor, protected: Tensor | None, spec: AttentionSpec
) -> tuple[Tensor, Tensor]:
    """K~ and V~ [B, T, C] of keys and values [B, T, C]: the rows that are not `protected` on values
    of their bits.
    """
    k_rows, v_rows = (
        StoredRows.store(x, protected, spec.kv_bits, spec.per_tensor).dequantize() for x in (k, v)
    )
    return k_rows, v_rows


def attend(
    q: Tensor,
    k_rows: Tensor,
    v_rows: Tensor,
    heads: int,
    protected: Tensor | None,
    spec: AttentionSpec,
) -> Tensor:
    """As `cross_attention`, for rows of K and V that were quantized when they were stored
    (`spec.kv_bits` is not used).

    Scores and attention weights are computed in float32, whatever the dtypes.
    """
    _check_shapes(q, k_rows, v_rows, heads)
    protected = row_mask(k_rows, protected)
    queries, keys, values = (split_heads(x, heads) for x in (q, k_rows, v_rows))
    if spec.q_bits is not None:
        queries = uniform_quantize_dequantize(queries, spec.q_bits, spec.per_tensor)
    if spec.a_bits is None:
        out = functional.scaled_dot_product_attention(queries, keys, values)
    else:
        out = _quantize_weights(attention_weights(queries, keys), protected, spec) @ values
    return out.transpose(1, 2).flatten(2).to(q.dtype)


def attend_stored(
    q: Tensor, layer: LayerKV, entry: Tensor, heads: int, spec: AttentionSpec
) -> Tensor:
    """As `attend`, with the stored rows of D prompts; `entry` int64 [B] says which of them each
    batch entry has.

    The kernel takes as many rows of text as `MAX_ROWS`; a longer prompt runs in torch.
    """
    runs = registry.attention(registry.machine(q.device), spec.kv_bits, spec.per_tensor).name
    if runs == registry.TRITON_ATTENTION and layer.protected.shape[1] <= MAX_ROWS:
        return _attend_triton(q, layer, entry, heads, spec)
    k_rows, v_rows = (rows.dequantize()[entry] for rows in (layer.k, layer.v))
    return attend(q, k_rows, v_rows, heads, layer.protected[entry], spec)


def _attend_triton(
    q: Tensor, layer: LayerKV, entry: Tensor, heads: int, spec: AttentionSpec
) -> Tensor:
    kept_count = layer.protected.sum(1, dtype=torch.int32)
    rows = [
        tensor
        for stored in (layer.k, layer.v)
        if stored.codes
        for tensor in (
            stored.codes.q,
            stored.codes.scale[..., 0],
            stored.codes.zero[..., 0],
            stored.kept.to(q.dtype),
        )
    ]
    counts = layer.protected.shape[1] - kept_count, kept_count
    bits = spec.kv_bits, spec.q_bits, spec.a_bits
    return operators.mixed_rows_attention(
        q.contiguous(), *rows, *counts, entry, heads, *bits, spec.quantizer == "log"
    )


def attention_weights(queries: Tensor, keys: Tensor) -> Tensor:
    """A = softmax(Q K^T / sqrt(d)) [B, heads, N, T] of queries [B, heads, N, d] and keys [B, heads,
    T, d].
    """
    return torch.softmax(queries @ keys.transpose(-1, -2) * queries.shape[-1] ** -0.5, dim=-1)


def _quantize_weights(weights: Tensor, protected: Tensor, spec: AttentionSpec) -> Tensor:
    """A^ [B, heads, N, T]: the scale of a query row comes from its unprotected columns alone."""
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
