"""The gated GELU of a feed-forward in Triton: one pass over memory in place of two."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from .device import DTYPES, device_reasons
from .sizes import cdiv

BLOCK = 1024
"""Elements of a row that one program computes."""


@triton.jit
def gated_kernel(both, out, width, blocks, BLOCK: tl.constexpr):
    """Compute value * GELU(gate) of a block of one row, which holds `width` values and their gates.

    In float32, and rounded once.
    """
    row = (tl.program_id(0) // blocks).to(tl.int64)
    at = (tl.program_id(0) % blocks) * BLOCK + tl.arange(0, BLOCK)
    mask = at < width
    values = both + row * 2 * width + at
    value = tl.load(values, mask=mask, other=0.0).to(tl.float32)
    gate = tl.load(values + width, mask=mask, other=0.0).to(tl.float32)
    half = 0.5 * gate * (1.0 + tl.erf(gate * 0.7071067811865476))  # 1 / sqrt(2)
    tl.store(out + row * width + at, value * half, mask=mask)


def gated_gelu(both: Tensor) -> Tensor:
    """Like `operators.gated_gelu`.

    Raises ValueError if `unmet_requirements` has a reason.
    """
    if reasons := unmet_requirements(both):
        raise ValueError("the gated GELU's kernel cannot run: " + "; ".join(reasons))
    width = both.shape[-1] // 2
    out = torch.empty(*both.shape[:-1], width, dtype=both.dtype, device=both.device)
    blocks = cdiv(width, BLOCK)
    with torch.cuda.device_of(both):
        gated_kernel[(out.numel() // width * blocks,)](
            both.contiguous(), out, width, blocks, BLOCK=BLOCK
        )
    return out


def unmet_requirements(both: Tensor) -> list[str]:
    """Every reason why `gated_gelu` cannot run on `both`; an empty list = it can."""
    reasons = device_reasons(both)
    if both.dtype not in DTYPES:
        reasons.append(f"it must be float32, float16 or bfloat16; got {both.dtype}")
    if not both.shape[-1] or both.shape[-1] % 2:
        reasons.append(f"{both.shape[-1]} features are no values with as many gates")
    return reasons
