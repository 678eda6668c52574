"""Cross-attention over rows of codes and kept rows as one Triton kernel: nothing is dequantized to
memory.

A program holds the probabilities of its queries over all text rows at once, so it needs no online
softmax, and the quantizer sees a whole row. Products are taken of `code - zero`, which 16-bit
floats hold exactly; the scale of a K row multiplies a column of logits, the scale of a V row a
column of probabilities.
"""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

from ...quantizers.logarithmic import LOG_EPS_OF_MAX
from ..eager.attention import MAX_ROWS, check_shapes, is_packed
from .device import DTYPES, INTERPRETED, device_reasons

MAX_HEAD_WIDTH = 256

_TILE = 64 * 128
"""Probabilities (queries x text rows) that a program holds: more would not leave room for two
programs a processor.
"""


@triton.jit
def _round(x):
    """The nearest integer, halves to even, for |x| < 2^22: adding 1.5 * 2^23 leaves float32 no
    fraction bits.
    """
    return (x + 12582912.0) - 12582912.0


@triton.jit
def _query_scale(
    q_row, channel, real, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr, LEVELS: tl.constexpr
):
    """Scale and zero point of each query row, the range widened to contain 0."""
    low = tl.zeros_like(real).to(tl.float32)
    high = low
    for start in range(0, HEAD_DIM, BLOCK_D):
        columns = start + tl.arange(0, BLOCK_D)
        mask = real[:, None] & (columns < HEAD_DIM)[None, :]
        tile = tl.load(q_row[:, None] + columns[None, :] * channel, mask=mask, other=0.0).to(
            tl.float32
        )
        low = tl.minimum(low, tl.min(tile, 1))
        high = tl.maximum(high, tl.max(tile, 1))
    scale = tl.div_rn(high - low, LEVELS * 1.0)
    scale = tl.where(scale > 0, scale, 1.0)
    return scale, _round(tl.div_rn(-low, scale))


@triton.jit
def _integers(codes, zero, row, real, channels, inside, width, PACKED: tl.constexpr):
    """Code - zero, float32 [rows, channels] and 0 in padding rows; `width` bytes a row."""
    byte = channels
    if PACKED:
        in_high = channels >= width
        byte = tl.where(in_high, channels - width, channels)
    tile = tl.load(
        codes + row[:, None] * width + byte[None, :], mask=real[:, None] & inside[None, :], other=0
    )
    if PACKED:
        tile = tl.where(in_high[None, :], tile >> 4, tile & 15)
    return tile.to(tl.float32) - zero[:, None]


@triton.jit
def _mixed_rows_kernel(
    q,
    k_codes,
    k_scale,
    k_zero,
    k_kept,
    v_codes,
    v_scale,
    v_zero,
    v_kept,
    code_count,
    kept_count,
    entry,
    out,
    q_batch,
    q_row,
    q_channel,
    queries,
    rows,
    kept_rows,
    code_width,
    logit_scale,
    HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    PACKED: tl.constexpr,
    Q_LEVELS: tl.constexpr,
    A_LEVELS: tl.constexpr,
    LOG: tl.constexpr,
    EPS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """One block of queries of one head and batch entry.

    `logit_scale` is log2(e) / sqrt(d); levels 0 = exact.
    """
    DTYPE: tl.constexpr = q.dtype.element_ty
    # Codes and the probabilities that meet them are at most 255: fp16 keeps three bits more of the
    # latter than bf16.
    V_DTYPE: tl.constexpr = tl.float32 if q.dtype.element_ty == tl.float32 else tl.float16
    head = tl.program_id(1)
    batch = tl.program_id(2)
    prompt = tl.load(entry + batch)
    query = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    real_query = query < queries
    code = tl.arange(0, BLOCK_R)
    real_code = code < tl.load(code_count + prompt)
    kept = tl.arange(0, BLOCK_P)
    real_kept = kept < tl.load(kept_count + prompt)
    code_row = prompt * rows + code
    kept_row = prompt * kept_rows + kept

    q_rows = q + batch.to(tl.int64) * q_batch + query * q_row + head * HEAD_DIM * q_channel
    if Q_LEVELS > 0:
        q_scale, q_zero = _query_scale(q_rows, q_channel, real_query, HEAD_DIM, BLOCK_D, Q_LEVELS)
    zero = tl.load(k_zero + code_row, mask=real_code, other=0).to(tl.float32)
    logits = tl.zeros((BLOCK_M, BLOCK_R), tl.float32)
    kept_logits = tl.zeros((BLOCK_M, BLOCK_P), tl.float32)
    for start in range(0, HEAD_DIM, BLOCK_D):
        columns = start + tl.arange(0, BLOCK_D)
        inside = columns < HEAD_DIM
        channels = head * HEAD_DIM + columns
        mask = real_query[:, None] & inside[None, :]
        tile = tl.load(q_rows[:, None] + columns[None, :] * q_channel, mask=mask, other=0.0)
        if Q_LEVELS > 0:
            tile = _round(tl.div_rn(tile.to(tl.float32), q_scale[:, None])) + q_zero[:, None]
            tile = tl.minimum(tl.maximum(tile, 0.0), Q_LEVELS * 1.0) - q_zero[:, None]
            tile = tile.to(DTYPE)
        k = _integers(k_codes, zero, code_row, real_code, channels, inside, code_width, PACKED).to(
            DTYPE
        )
        logits = tl.dot(tile, tl.trans(k), logits, input_precision="ieee")
        at = kept_row[:, None] * (HEADS * HEAD_DIM) + channels[None, :]
        k = tl.load(k_kept + at, mask=real_kept[:, None] & inside[None, :], other=0.0).to(DTYPE)
        kept_logits = tl.dot(tile, tl.trans(k), kept_logits, input_precision="ieee")

    scale = tl.load(k_scale + code_row, mask=real_code, other=0.0) * logit_scale
    logits *= scale[None, :]
    kept_logits *= logit_scale
    if Q_LEVELS > 0:
        logits *= q_scale[:, None]
        kept_logits *= q_scale[:, None]
    logits = tl.where(real_code[None, :], logits, -float("inf"))
    kept_logits = tl.where(real_kept[None, :], kept_logits, -float("inf"))

    # Code columns have a maximum of their own, so that the largest of them is exactly 1: their
    # quantizer's unit.
    largest = tl.max(logits, 1)
    top = tl.maximum(largest, tl.max(kept_logits, 1))
    largest = tl.maximum(largest, top - 1000.0)  # no code column: finite, and exp2(-1000) is 0
    weights = tl.exp2(logits - largest[:, None])
    kept_weights = tl.exp2(kept_logits - top[:, None])
    share = tl.exp2(largest - top)
    total = tl.sum(weights, 1) * share + tl.sum(kept_weights, 1)
    share = share / total
    if A_LEVELS > 0:
        if LOG:
            unit = tl.where(share > 0, share, 1.0)
            offset = EPS * unit
            low = tl.log(offset)
            step = (tl.log(unit + offset) - low) / A_LEVELS
            code_zero = _round(tl.div_rn(-low, step))
            a = (
                _round(tl.log(weights * share[:, None] + offset[:, None]) / step[:, None])
                + code_zero[:, None]
            )
            a = tl.minimum(tl.maximum(a, 0.0), A_LEVELS * 1.0)
            a = tl.exp(step[:, None] * (a - code_zero[:, None])) - offset[:, None]
            weights = tl.where(weights > 0, a / unit[:, None], 0.0)
        else:
            weights = _round(weights * A_LEVELS)
            share = share / A_LEVELS

    # The largest scale is taken out: what is left keeps a probability within the range of fp16.
    scale = tl.load(v_scale + code_row, mask=real_code, other=0.0)
    v_unit = tl.max(scale, 0)
    v_unit = tl.where(v_unit > 0, v_unit, 1.0)
    weights = (weights * (scale / v_unit)[None, :]).to(V_DTYPE)
    kept_weights = kept_weights.to(DTYPE)
    zero = tl.load(v_zero + code_row, mask=real_code, other=0).to(tl.float32)
    out_rows = out + (batch.to(tl.int64) * queries + query) * (HEADS * HEAD_DIM) + head * HEAD_DIM
    for start in range(0, HEAD_DIM, BLOCK_D):
        columns = start + tl.arange(0, BLOCK_D)
        inside = columns < HEAD_DIM
        channels = head * HEAD_DIM + columns
        v = _integers(v_codes, zero, code_row, real_code, channels, inside, code_width, PACKED).to(
            V_DTYPE
        )
        result = tl.dot(weights, v, input_precision="ieee") * (share * v_unit)[:, None]
        at = kept_row[:, None] * (HEADS * HEAD_DIM) + channels[None, :]
        v = tl.load(v_kept + at, mask=real_kept[:, None] & inside[None, :], other=0.0).to(DTYPE)
        result += tl.dot(kept_weights, v, input_precision="ieee") / total[:, None]
        tl.store(
            out_rows[:, None] + columns[None, :], result, mask=real_query[:, None] & inside[None, :]
        )


def constraints(
    q: Tensor, k_codes: Tensor, k_kept: Tensor, v_kept: Tensor, heads: int
) -> list[str]:
    """Every reason why the kernel cannot run on these tensors of `mixed_rows_attention`; none = it
    runs.
    """
    reasons = device_reasons(q)
    if q.dtype not in DTYPES:
        reasons.append(f"q must be float32, float16 or bfloat16; got {q.dtype}")
    if q.dtype == torch.bfloat16 and INTERPRETED:
        reasons.append(
            "Triton's interpreter has no bfloat16 products; use float16 or float32 there"
        )
    for name, kept in (("k_kept", k_kept), ("v_kept", v_kept)):
        if kept.dtype != q.dtype and q.dtype != torch.float32:
            reasons.append(
                f"{name} is {kept.dtype}; kept rows must have the dtype of q, {q.dtype}, to stay "
                "exact"
            )
    for name, count in (("rows of codes", k_codes.shape[1]), ("kept rows", k_kept.shape[1])):
        if count > MAX_ROWS:
            reasons.append(f"{count} {name}; at most {MAX_ROWS}")
    if q.shape[-1] // heads > MAX_HEAD_WIDTH:
        reasons.append(f"heads of {q.shape[-1] // heads} channels; at most {MAX_HEAD_WIDTH}")
    if q.shape[0] >= 2**16 or heads >= 2**16:
        reasons.append(
            f"{q.shape[0]} batch entries, {heads} heads; CUDA grids take fewer than {2**16} of "
            "either"
        )
    return reasons


def mixed_rows_attention(
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
    """As `mixed_rows.mixed_rows_attention_reference`, which says what each argument is.

    16-bit q: tensor cores with float32 sums, exact for products of codes. Raises ValueError with
    every reason of `constraints`, and for shapes that do not fit.
    """
    check_shapes(q, k_codes, k_kept, v_codes, v_kept, heads, kv_bits)
    if reasons := constraints(q, k_codes, k_kept, v_kept, heads):
        raise ValueError("the attention kernel cannot run: " + "; ".join(reasons))
    batch, queries, width = q.shape
    rows, kept_rows = k_codes.shape[1], k_kept.shape[1]
    out = q.new_empty(q.shape)
    blocks = _blocks(rows, kept_rows, width // heads, q.dtype)
    with torch.cuda.device_of(q):
        _mixed_rows_kernel[(triton.cdiv(queries, blocks["BLOCK_M"]), heads, batch)](
            q,
            *(
                x.contiguous()
                for x in (k_codes, k_scale, k_zero, k_kept, v_codes, v_scale, v_zero, v_kept)
            ),
            code_count,
            kept_count,
            entry,
            out,
            *q.stride(),
            queries,
            rows,
            kept_rows,
            k_codes.shape[2],
            math.log2(math.e) * (width // heads) ** -0.5,
            HEADS=heads,
            HEAD_DIM=width // heads,
            PACKED=is_packed(kv_bits),
            Q_LEVELS=_levels(q_bits),
            A_LEVELS=_levels(a_bits),
            LOG=log_quantizer,
            EPS=LOG_EPS_OF_MAX,
            **blocks,
        )
    return out


def _levels(bits: int | None) -> int:
    return 0 if bits is None else 2**bits - 1


def _blocks(rows: int, kept_rows: int, head_dim: int, dtype: torch.dtype) -> dict[str, int]:
    """Block sizes: all text rows, as many queries as their probabilities leave registers for, and a
    power of two of channels at a time (160 are five times 32, not 256).
    """
    block_r, block_p = (max(16, triton.next_power_of_2(count)) for count in (rows, kept_rows))
    exact = dtype == torch.float32
    wide = head_dim > 64 or block_r + block_p > 512
    return {
        "BLOCK_M": 16 if exact else min(64, max(16, _TILE // max(block_r, block_p))),
        "BLOCK_R": block_r,
        "BLOCK_P": block_p,
        "BLOCK_D": 16 if exact else 32 if wide else max(16, triton.next_power_of_2(head_dim)),
        "num_warps": 8 if exact or block_r + block_p > 512 else 4,
        "num_stages": 1 if block_r + block_p > 512 else 2,
    }
