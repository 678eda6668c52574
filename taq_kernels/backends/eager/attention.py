"""Cross-attention over tokens in codes and tokens in full precision: the reference in torch."""

from __future__ import annotations

import torch
from torch import Tensor

from ...quantizers import attention_quantize_dequantize
from ...quantizers.uniform import uniform_quantize_dequantize
from ..quantized_kv import QuantizedKV, is_real
from .nibbles import unpack_nibbles


def mixed_attention(
    q: Tensor,
    kv: QuantizedKV,
    *,
    heads: int,
    q_bits: int | None,
    a_bits: int | None,
    quantizer: str,
) -> Tensor:
    """Compute softmax(Q~ K^T / sqrt(d)) V, with the probabilities of tokens in codes quantized.

    q is [B, N, heads*d]; `kv` has the keys and values of its B entries. Q~ is Q with each query of
    each head quantized separately to `q_bits`. The probabilities of tokens in codes are quantized
    to `a_bits` by the quantizer named `quantizer`, with one scale for each query, taken only from
    these columns; the probabilities of tokens in full precision are not quantized. Bits are 2 to 8;
    None = not quantized.

    Arithmetic is in float32. Returns [B, N, heads*d] in the dtype of q. Raises ValueError for
    shapes that do not fit.
    """
    kv.check(q, heads)
    real_codes = is_real(kv.k_codes, kv.code_count)
    real_full = is_real(kv.k_full, kv.full_count)
    decoded = (
        _decode(kv, kv.k_codes, kv.k_scale, kv.k_zero, q.shape[-1]),
        _decode(kv, kv.v_codes, kv.v_scale, kv.v_zero, q.shape[-1]),
    )
    keys, values = (
        torch.cat(
            (
                in_codes.masked_fill(~real_codes[..., None], 0),
                full.float().masked_fill(~real_full[..., None], 0),
            ),
            dim=1,
        )[kv.prompt_index]
        for in_codes, full in zip(decoded, (kv.k_full, kv.v_full), strict=True)
    )
    real = torch.cat((real_codes, real_full), dim=1)[kv.prompt_index]
    queries, keys, values = (split_heads(x, heads) for x in (q, keys, values))
    if q_bits is not None:
        queries = uniform_quantize_dequantize(queries, q_bits)
    logits = queries @ keys.transpose(-1, -2) * queries.shape[-1] ** -0.5
    if kv.code_bias is not None and kv.full_bias is not None:
        bias = torch.cat((kv.code_bias, kv.full_bias), dim=1)[kv.prompt_index]
        logits = logits + bias[:, None, None]
    weights = logits.masked_fill(~real[:, None, None], -torch.inf).softmax(-1)
    count = kv.k_codes.shape[1]
    if a_bits is not None and count:
        quantized = attention_quantize_dequantize(weights[..., :count], a_bits, quantizer)
        weights = torch.cat((quantized, weights[..., count:]), dim=-1)
    return (weights @ values).transpose(1, 2).flatten(2).to(q.dtype).contiguous()


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Reshape [B, L, heads*d] to float32 [B, heads, L, d]."""
    return x.float().unflatten(-1, (heads, -1)).transpose(1, 2)


def _decode(kv: QuantizedKV, codes: Tensor, scale: Tensor, zero: Tensor, width: int) -> Tensor:
    """The values scale * (code - zero), float32 [D, R, width]."""
    if kv.is_packed:
        codes = unpack_nibbles(codes, width)
    return (codes.float() - zero[..., None].float()) * scale[..., None]
