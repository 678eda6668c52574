"""Cross-attention over tokens in codes and in full precision, as one Triton kernel that never
writes decoded tensors to memory.

A program holds the probabilities of its queries over all tokens at once, so it needs no online
softmax, and the quantizer sees all of them. It multiplies `code - zero`, which 16-bit floats hold
exactly. The scale of a token's key then multiplies a column of logits, and the scale of its value
a column of probabilities.
"""

from __future__ import annotations

import triton
import triton.language as tl

LOG2_E: tl.constexpr = tl.constexpr(1.4426950408889634)


@triton.jit
def _round(x):
    """Round to the nearest integer, halves to even, for |x| < 2^22.

    Adding 1.5 * 2^23 leaves a float32 no bits for a fraction.
    """
    return (x + 12582912.0) - 12582912.0


@triton.jit
def _query_scale(
    q_row, channel, real, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr, LEVELS: tl.constexpr
):
    """Scale and zero point of each query; the range is widened to contain 0."""
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
def _integers(codes, zero, token, real, channels, inside, width, PACKED: tl.constexpr):
    """Load `code - zero` as float32 [tokens, channels], 0 in padding; a token has `width` bytes."""
    byte = channels
    if PACKED:
        in_high = channels >= width
        byte = tl.where(in_high, channels - width, channels)
    tile = tl.load(
        codes + token[:, None] * width + byte[None, :],
        mask=real[:, None] & inside[None, :],
        other=0,
    )
    if PACKED:
        tile = tl.where(in_high[None, :], tile >> 4, tile & 15)
    return tile.to(tl.float32) - zero[:, None]


@triton.jit
def mixed_attention_kernel(
    q,
    k_codes,
    k_scale,
    k_zero,
    k_full,
    v_codes,
    v_scale,
    v_zero,
    v_full,
    code_count,
    full_count,
    prompt_index,
    code_bias,
    full_bias,
    out,
    q_batch,
    q_row,
    q_channel,
    queries,
    code_tokens,
    full_tokens,
    code_width,
    logit_scale,
    HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    PACKED: tl.constexpr,
    BIAS: tl.constexpr,
    Q_LEVELS: tl.constexpr,
    A_LEVELS: tl.constexpr,
    LOG: tl.constexpr,
    EPS: tl.constexpr,
    SMALLEST: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Compute attention for one block of queries of one head and batch entry.

    `logit_scale` is log2(e) / sqrt(d). Q_LEVELS or A_LEVELS 0 = not quantized. Without BIAS the
    biases are not read.
    """
    DTYPE: tl.constexpr = q.dtype.element_ty
    # Codes, and the probabilities that they are multiplied with, are at most 255, which fp16 can
    # hold; it has three more bits for the probabilities than bf16.
    V_DTYPE: tl.constexpr = tl.float32 if q.dtype.element_ty == tl.float32 else tl.float16
    head = tl.program_id(1)
    batch = tl.program_id(2)
    prompt = tl.load(prompt_index + batch)
    query = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    real_query = query < queries
    code = tl.arange(0, BLOCK_R)
    real_code = code < tl.load(code_count + prompt)
    full = tl.arange(0, BLOCK_P)
    real_full = full < tl.load(full_count + prompt)
    code_token = prompt * code_tokens + code
    full_token = prompt * full_tokens + full

    q_at = q + batch.to(tl.int64) * q_batch + query * q_row + head * HEAD_DIM * q_channel
    if Q_LEVELS > 0:
        q_scale, q_zero = _query_scale(q_at, q_channel, real_query, HEAD_DIM, BLOCK_D, Q_LEVELS)
    zero = tl.load(k_zero + code_token, mask=real_code, other=0).to(tl.float32)
    logits = tl.zeros((BLOCK_M, BLOCK_R), tl.float32)
    full_logits = tl.zeros((BLOCK_M, BLOCK_P), tl.float32)
    for start in range(0, HEAD_DIM, BLOCK_D):
        columns = start + tl.arange(0, BLOCK_D)
        inside = columns < HEAD_DIM
        channels = head * HEAD_DIM + columns
        mask = real_query[:, None] & inside[None, :]
        tile = tl.load(q_at[:, None] + columns[None, :] * q_channel, mask=mask, other=0.0)
        if Q_LEVELS > 0:
            tile = _round(tl.div_rn(tile.to(tl.float32), q_scale[:, None])) + q_zero[:, None]
            tile = tl.minimum(tl.maximum(tile, 0.0), Q_LEVELS * 1.0) - q_zero[:, None]
            tile = tile.to(DTYPE)
        k = _integers(
            k_codes, zero, code_token, real_code, channels, inside, code_width, PACKED
        ).to(DTYPE)
        logits = tl.dot(tile, tl.trans(k), logits, input_precision="ieee")
        at = full_token[:, None] * (HEADS * HEAD_DIM) + channels[None, :]
        k = tl.load(k_full + at, mask=real_full[:, None] & inside[None, :], other=0.0).to(DTYPE)
        full_logits = tl.dot(tile, tl.trans(k), full_logits, input_precision="ieee")

    scale = tl.load(k_scale + code_token, mask=real_code, other=0.0) * logit_scale
    logits *= scale[None, :]
    full_logits *= logit_scale
    if Q_LEVELS > 0:
        logits *= q_scale[:, None]
        full_logits *= q_scale[:, None]
    if BIAS:
        bias = tl.load(code_bias + code_token, mask=real_code, other=0.0) * LOG2_E
        logits += bias[None, :]
        bias = tl.load(full_bias + full_token, mask=real_full, other=0.0) * LOG2_E
        full_logits += bias[None, :]
    logits = tl.where(real_code[None, :], logits, -float("inf"))
    full_logits = tl.where(real_full[None, :], full_logits, -float("inf"))

    # The columns of codes are divided by their own maximum, so that the largest is exactly 1, the
    # unit of their quantizer.
    largest = tl.max(logits, 1)
    top = tl.maximum(largest, tl.max(full_logits, 1))
    largest = tl.maximum(largest, top - 1000.0)  # no code column: finite, and exp2(-1000) is 0
    weights = tl.exp2(logits - largest[:, None])
    full_weights = tl.exp2(full_logits - top[:, None])
    share = tl.exp2(largest - top)
    total = tl.sum(weights, 1) * share + tl.sum(full_weights, 1)
    share = share / total
    if A_LEVELS > 0:
        if LOG:
            unit = tl.maximum(share, SMALLEST)
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

    # Divide by the largest scale, so that the weighted probabilities stay in the range of fp16.
    scale = tl.load(v_scale + code_token, mask=real_code, other=0.0)
    v_unit = tl.max(scale, 0)
    v_unit = tl.where(v_unit > 0, v_unit, 1.0)
    weights = (weights * (scale / v_unit)[None, :]).to(V_DTYPE)
    full_weights = full_weights.to(DTYPE)
    zero = tl.load(v_zero + code_token, mask=real_code, other=0).to(tl.float32)
    out_at = out + (batch.to(tl.int64) * queries + query) * (HEADS * HEAD_DIM) + head * HEAD_DIM
    for start in range(0, HEAD_DIM, BLOCK_D):
        columns = start + tl.arange(0, BLOCK_D)
        inside = columns < HEAD_DIM
        channels = head * HEAD_DIM + columns
        v = _integers(
            v_codes, zero, code_token, real_code, channels, inside, code_width, PACKED
        ).to(V_DTYPE)
        result = tl.dot(weights, v, input_precision="ieee") * (share * v_unit)[:, None]
        at = full_token[:, None] * (HEADS * HEAD_DIM) + channels[None, :]
        v = tl.load(v_full + at, mask=real_full[:, None] & inside[None, :], other=0.0).to(DTYPE)
        result += tl.dot(full_weights, v, input_precision="ieee") / total[:, None]
        tl.store(
            out_at[:, None] + columns[None, :], result, mask=real_query[:, None] & inside[None, :]
        )
