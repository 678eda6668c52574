"""Launch of the Triton kernel for cross-attention over tokens in codes and in full precision, and
the arguments that it supports.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import torch
from torch import Tensor

from ...quantizers import QUANTIZERS
from ...quantizers.logarithmic import LOG_EPS_OF_MAX, LOG_SMALLEST
from ..quantized_kv import MAX_TOKENS, QuantizedKV
from .attention_kernel import mixed_attention_kernel
from .device import DTYPES, INTERPRETED, device_reasons
from .sizes import cdiv, next_power_of_2

MAX_HEAD_WIDTH = 256

_TILE = 64 * 128
"""Probabilities (queries x tokens) that a program holds; with more, two programs would not fit on
one multiprocessor.
"""


def unmet_requirements(q: Tensor, kv: QuantizedKV, *, heads: int, quantizer: str) -> list[str]:
    """Every reason why the kernel cannot run with these arguments of `mixed_attention`.

    An empty list = it can run.
    """
    reasons = device_reasons(q)
    if q.dtype not in DTYPES:
        reasons.append(f"q must be float32, float16 or bfloat16; got {q.dtype}")
    if q.dtype == torch.bfloat16 and INTERPRETED:
        reasons.append(
            "Triton's interpreter has no bfloat16 products; use float16 or float32 there"
        )
    if QUANTIZERS[quantizer].kernel is None:
        reasons.append(f"the kernel has no {quantizer} quantizer")
    for name, full in (("k_full", kv.k_full), ("v_full", kv.v_full)):
        if full.dtype != q.dtype and q.dtype != torch.float32:
            reasons.append(
                f"{name} is {full.dtype}; tokens in full precision must have the dtype of q, "
                f"{q.dtype}, to stay exact"
            )
    counts = ("tokens in codes", kv.k_codes), ("tokens in full precision", kv.k_full)
    for name, tokens in counts:
        if tokens.shape[1] > MAX_TOKENS:
            reasons.append(f"{tokens.shape[1]} {name}; at most {MAX_TOKENS}")
    if q.shape[-1] // heads > MAX_HEAD_WIDTH:
        reasons.append(f"heads of {q.shape[-1] // heads} channels; at most {MAX_HEAD_WIDTH}")
    if q.shape[0] >= 2**16 or heads >= 2**16:
        reasons.append(
            f"{q.shape[0]} batch entries, {heads} heads; CUDA grids take fewer than {2**16} of "
            "either"
        )
    return reasons


def mixed_attention(
    q: Tensor,
    kv: QuantizedKV,
    *,
    heads: int,
    q_bits: int | None,
    a_bits: int | None,
    quantizer: str,
) -> Tensor:
    """Like `eager.attention.mixed_attention`, which explains the arguments.

    With q in 16 bits it runs on tensor cores with float32 sums, and products of codes are exact.
    Raises ValueError with every reason of `unmet_requirements`, and for shapes that do not fit.
    """
    kv.check(q, heads)
    if reasons := unmet_requirements(q, kv, heads=heads, quantizer=quantizer):
        raise ValueError("the attention kernel cannot run: " + "; ".join(reasons))
    batch, queries, width = q.shape
    code_tokens, full_tokens = kv.k_codes.shape[1], kv.k_full.shape[1]
    *tokens, code_count, full_count, prompt_index = kv.tensors()[:11]
    bias = kv.tensors()[11:]
    out = q.new_empty(q.shape)
    blocks = _blocks(code_tokens, full_tokens, width // heads, q.dtype)
    with torch.cuda.device_of(q):
        mixed_attention_kernel[(cdiv(queries, blocks["BLOCK_M"]), heads, batch)](
            q,
            *(tensor.contiguous() for tensor in tokens),
            code_count,
            full_count,
            prompt_index,
            *(tensor.contiguous() for tensor in bias or (kv.k_scale, kv.k_scale)),
            out,
            *q.stride(),
            queries,
            code_tokens,
            full_tokens,
            kv.k_codes.shape[2],
            math.log2(math.e) * (width // heads) ** -0.5,
            HEADS=heads,
            HEAD_DIM=width // heads,
            PACKED=kv.is_packed,
            BIAS=bool(bias),
            Q_LEVELS=_levels(q_bits),
            A_LEVELS=_levels(a_bits),
            LOG=QUANTIZERS[quantizer].kernel == "log",
            EPS=LOG_EPS_OF_MAX,
            SMALLEST=LOG_SMALLEST,
            **blocks,
        )
    return out


def _levels(bits: int | None) -> int:
    return 0 if bits is None else 2**bits - 1


@cache
def _blocks(
    code_tokens: int, full_tokens: int, head_dim: int, dtype: torch.dtype
) -> Mapping[str, int]:
    """Block sizes of a program: all tokens, some queries and some channels at a time.

    It takes as many queries as fit in registers with their probabilities. Its number of channels is
    a power of two that leaves little padding: 160 channels are five blocks of 32, not one of 256.
    """
    block_r, block_p = (max(16, next_power_of_2(count)) for count in (code_tokens, full_tokens))
    whole = dtype == torch.float32
    wide = head_dim > 64 or block_r + block_p > 512
    blocks = {
        "BLOCK_M": 16 if whole else min(64, max(16, _TILE // max(block_r, block_p))),
        "BLOCK_R": block_r,
        "BLOCK_P": block_p,
        "BLOCK_D": 16 if whole else 32 if wide else max(16, next_power_of_2(head_dim)),
        "num_warps": 8 if whole or block_r + block_p > 512 else 4,
        "num_stages": 1 if block_r + block_p > 512 else 2,
    }
    return MappingProxyType(blocks)
