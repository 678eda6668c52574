"""Quantizes pixels to int8 in Triton, each pixel with its own scale."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from ..bounds import MAX_CHANNELS, MAX_ELEMENTS
from .device import DTYPES, device_reasons
from .sizes import cdiv, next_power_of_2


@triton.jit
def int8_codes(values, TINY: tl.constexpr):
    """Codes round(v / s) of float32 pixels [M, C], and scales s = max |v| of the pixel / 127."""
    scale = tl.div_rn(tl.maximum(tl.max(tl.abs(values), 1), TINY * 127), 127.0)
    # Round, halves to even: adding 1.5 * 2^23 leaves a float32 no bits for a fraction.
    rounded = (tl.div_rn(values, scale[:, None]) + 12582912.0) - 12582912.0
    return rounded.to(tl.int8), scale


@triton.jit
def quantize_kernel(
    x,
    codes,
    scales,
    pixels,
    channels,
    TINY: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_C: tl.constexpr,
):
    """Compute the codes and scales of the pixels `x`, each read by one program."""
    pixel = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    channel = tl.arange(0, BLOCK_C)
    real = pixel < pixels
    mask = real[:, None] & (channel < channels)[None, :]
    at = pixel[:, None] * channels + channel[None, :]
    values = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    rounded, scale = int8_codes(values, TINY)
    tl.store(codes + at, rounded, mask=mask)
    tl.store(scales + pixel, scale, mask=real)


def quantize_pixels(x: Tensor) -> tuple[Tensor, Tensor]:
    """Quantize pixels `x` float [B, H, W, C] to int8 [B, H, W, C] with float32 scale [B, H, W].

    The scale of a pixel is its max |x| / 127. Raises ValueError if
    `unmet_requirements` has a reason.
    """
    if reasons := unmet_requirements(x):
        raise ValueError("the pixel kernel cannot run: " + "; ".join(reasons))
    x = x.contiguous()
    pixels, channels = x.numel() // x.shape[-1], x.shape[-1]
    codes = torch.empty_like(x, dtype=torch.int8)
    scale = torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device)
    constants = blocks(channels)
    with torch.cuda.device_of(x):
        quantize_kernel[(cdiv(pixels, constants["BLOCK_M"]),)](
            x, codes, scale, pixels, channels, **constants
        )
    return codes, scale


@cache
def blocks(channels: int) -> Mapping[str, Any]:
    """Constants of a kernel that reads whole pixels of `channels`."""
    block_c = next_power_of_2(channels)
    tiny = torch.finfo(torch.float32).tiny
    found = {"TINY": tiny, "BLOCK_M": max(1, 4096 // block_c), "BLOCK_C": block_c}
    return MappingProxyType(found)


def unmet_requirements(x: Tensor) -> list[str]:
    """Every reason why `quantize_pixels` cannot run on `x`; an empty list = it can."""
    reasons = device_reasons(x)
    if x.dtype not in DTYPES:
        reasons.append(f"pixels must be float32, float16 or bfloat16; got {x.dtype}")
    if x.shape[-1] > MAX_CHANNELS:
        reasons.append(f"pixels of {x.shape[-1]} channels; at most {MAX_CHANNELS}")
    if x.numel() >= MAX_ELEMENTS:
        reasons.append(f"a tensor of {x.numel()} elements; fewer than {MAX_ELEMENTS}")
    return reasons
