"""Decodes 4-bit taps of a convolution to int8 in Triton."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from ..bounds import MAX_ELEMENTS
from .device import device_reasons
from .sizes import cdiv

BLOCK_M, BLOCK_K = 32, 128
"""Rows, and bytes of each, that one program decodes."""


@triton.jit
def decode_kernel(
    codes,
    group_scale,
    taps,
    rows,
    row,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Compute taps = group scale * (code - 8) of BLOCK_M rows of `row` bytes.

    The low nibbles of a row hold the first half of its channels, and the high ones the second.
    """
    at = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)
    mask = (at < rows)[:, None] & (k < row)[None, :]
    both = tl.load(codes + at[:, None] * row + k[None, :], mask=mask, other=0)
    scales = group_scale + at[:, None] * (2 * row // GROUP)
    out = taps + at[:, None] * (2 * row)
    low = (both & 15).to(tl.int8) - 8
    high = (both >> 4).to(tl.int8) - 8
    first = tl.load(scales + (k // GROUP)[None, :], mask=mask, other=0)
    second = tl.load(scales + ((k + row) // GROUP)[None, :], mask=mask, other=0)
    tl.store(out + k[None, :], low * first, mask=mask)
    tl.store(out + (k + row)[None, :], high * second, mask=mask)


def decode_taps(codes: Tensor, group_scale: Tensor) -> Tensor:
    """The int8 taps [kh, kw, O, C] of `codes` and `group_scale`, like `operators.int4_taps`.

    Raises ValueError with every reason of `unmet_requirements`.
    """
    if reasons := unmet_requirements(codes, group_scale):
        raise ValueError("the kernel that decodes taps cannot run: " + "; ".join(reasons))
    row, groups = codes.shape[-1], group_scale.shape[-1]
    taps = torch.empty(*codes.shape[:-1], 2 * row, dtype=torch.int8, device=codes.device)
    rows = codes.numel() // row
    with torch.cuda.device_of(codes):
        decode_kernel[(cdiv(rows, BLOCK_M), cdiv(row, BLOCK_K))](
            codes.contiguous(),
            group_scale.contiguous(),
            taps,
            rows,
            row,
            GROUP=2 * row // groups,
            BLOCK_M=BLOCK_M,
            BLOCK_K=BLOCK_K,
        )
    return taps


def unmet_requirements(codes: Tensor, group_scale: Tensor) -> list[str]:
    """Every reason why `decode_taps` cannot run with these tensors; an empty list = it can."""
    reasons = device_reasons(codes)
    if (codes.dtype, group_scale.dtype) != (torch.uint8, torch.int8):
        reasons.append(
            f"codes must be uint8 and group scales int8; got {codes.dtype} and {group_scale.dtype}"
        )
    channels, groups = 2 * codes.shape[-1], group_scale.shape[-1]
    if codes.shape[:-1] != group_scale.shape[:-1] or not groups or channels % groups:
        reasons.append(
            f"codes {tuple(codes.shape)} and group scales {tuple(group_scale.shape)} do not belong "
            "together"
        )
    if 2 * codes.numel() >= MAX_ELEMENTS:
        reasons.append(f"a tensor of {2 * codes.numel()} elements; fewer than {MAX_ELEMENTS}")
    return reasons
