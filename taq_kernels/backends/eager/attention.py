"""Cross-attention over text rows of two kinds, codes with a scale each and rows kept whole: the
reference in torch.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ...quantizers import attention_quantize_dequantize
from ...quantizers.uniform import uniform_quantize_dequantize
from .nibbles import unpack_nibbles

# The operator's schema is read from these annotations, and torch 2.7 knows Optional[int] but not
# `int | None`. ruff: noqa: UP045

MAX_ROWS = 512
"""Rows of codes, and kept rows, that one program of the Triton kernel can hold."""


def mixed_rows_attention_reference(
    q: Tensor,
    k_codes: Tensor,
    k_scale: Tensor,
    k_zero: Tensor,
    k_kept: Tensor,
    v_codes: Tensor,
    v_scale: Tensor,
    v_zero: Tensor,
    v_kept: Tensor,
    code_count: Tensor,
    kept_count: Tensor,
    entry: Tensor,
    heads: int,
    kv_bits: int | None,
    q_bits: int | None,
    a_bits: int | None,
    log_quantizer: bool,
) -> Tensor:
    """softmax(Q~ K^T / sqrt(d)) over the text rows of both kinds, its code columns quantized, times
    V.

    The batch has B entries and D distinct prompts, and a prompt has up to R rows of codes and P
    kept rows, in any order (attention does not depend on it). C = heads * d.

    q [B, N, C]; k_codes, v_codes uint8 [D, R, C], or [D, R, C/2] of `pack_nibbles` when `kv_bits`
    is at most 4; k_scale, v_scale float32 [D, R] and k_zero, v_zero uint8 [D, R]: a value is scale
    * (code - zero). k_kept, v_kept [D, P, C]: rows in their own float dtype. code_count, kept_count
    int [D]: how many of the R and P rows of a prompt are real, at least one of both together; the
    others are padding. entry int [B]: the prompt of each batch entry. Bits are 2 to 8, None = not
    quantized (kv_bits None: every row is kept, R = 0).

    Q~: each row of each head quantized by itself. A code column's probability is quantized with a
    scale for each query, taken from the code columns alone, as `attention_quantize_dequantize`; a
    kept column's is not. Float32 arithmetic; returns [B, N, C] in the dtype of q. Raises ValueError
    for shapes that do not fit.
    """
    check_shapes(q, k_codes, k_kept, v_codes, v_kept, heads, kv_bits)
    width = q.shape[-1]
    packed = is_packed(kv_bits)
    real_code, real_kept = _real(k_codes, code_count), _real(k_kept, kept_count)
    keys, values = (
        torch.cat(
            (
                _decode(codes, scale, zero, width, packed).masked_fill(~real_code[..., None], 0),
                kept.float().masked_fill(~real_kept[..., None], 0),
            ),
            dim=1,
        )[entry]
        for codes, scale, zero, kept in (
            (k_codes, k_scale, k_zero, k_kept),
            (v_codes, v_scale, v_zero, v_kept),
        )
    )
    real = torch.cat((real_code, real_kept), dim=1)[entry]
    queries, keys, values = (split_heads(x, heads) for x in (q, keys, values))
    if q_bits is not None:
        queries = uniform_quantize_dequantize(queries, q_bits)
    logits = queries @ keys.transpose(-1, -2) * queries.shape[-1] ** -0.5
    weights = logits.masked_fill(~real[:, None, None], -torch.inf).softmax(-1)
    rows = k_codes.shape[1]
    if a_bits is not None and rows:
        name = "log" if log_quantizer else "uniform"
        quantized = attention_quantize_dequantize(weights[..., :rows], a_bits, name)
        weights = torch.cat((quantized, weights[..., rows:]), dim=-1)
    return (weights @ values).transpose(1, 2).flatten(2).to(q.dtype).contiguous()


def is_packed(kv_bits: int | None) -> bool:
    """Whether rows of codes of `kv_bits` hold two codes in a byte."""
    return kv_bits is not None and kv_bits <= 4


def check_shapes(
    q: Tensor,
    k_codes: Tensor,
    k_kept: Tensor,
    v_codes: Tensor,
    v_kept: Tensor,
    heads: int,
    kv_bits: int | None,
) -> None:
    """Raises ValueError where the shapes do not fit `mixed_rows_attention_reference`."""
    if q.dim() != 3 or heads < 1 or q.shape[-1] % heads:
        raise ValueError(f"q must be [B, N, heads*d]; got {tuple(q.shape)} for {heads} heads")
    width = q.shape[-1]
    code_width = (width + 1) // 2 if is_packed(kv_bits) else width
    for name, codes, kept in (("k", k_codes, k_kept), ("v", v_codes, v_kept)):
        if (
            codes.dim() != 3
            or kept.dim() != 3
            or codes.shape[2] != code_width
            or kept.shape[2] != width
        ):
            raise ValueError(
                f"with q {tuple(q.shape)} and kv_bits {kv_bits}, {name}_codes must be [D, R, "
                f"{code_width}] and {name}_kept [D, P, {width}]; got {tuple(codes.shape)} and "
                f"{tuple(kept.shape)}"
            )
    if (
        k_codes.shape != v_codes.shape
        or k_kept.shape != v_kept.shape
        or len(k_codes) != len(k_kept)
    ):
        raise ValueError(
            "k and v must have the same rows, and codes and kept rows the same prompts; got codes "
            f"{tuple(k_codes.shape)}, {tuple(v_codes.shape)}, kept {tuple(k_kept.shape)}, "
            f"{tuple(v_kept.shape)}"
        )
    if kv_bits is None and k_codes.shape[1]:
        raise ValueError(
            f"kv_bits None means that every row is kept; got {k_codes.shape[1]} rows of codes"
        )


def _real(rows: Tensor, count: Tensor) -> Tensor:
    """Bool [D, rows]: the rows that are no padding."""
    return torch.arange(rows.shape[1], device=rows.device) < count[:, None]


def _decode(codes: Tensor, scale: Tensor, zero: Tensor, width: int, packed: bool) -> Tensor:
    """Scale * (code - zero) as float32 [D, R, width]."""
    if packed:
        codes = unpack_nibbles(codes, width)
    return (codes.float() - zero[..., None].float()) * scale[..., None]


def split_heads(x: Tensor, heads: int) -> Tensor:
    """[B, L, heads*d] as float32 [B, heads, L, d]."""
    return x.float().unflatten(-1, (heads, -1)).transpose(1, 2)
