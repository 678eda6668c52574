"""GroupNorm, SiLU and the quantization of pixels in Triton, in place of a pass over memory each.

Three kernels: moments of each channel in parts of each image, the normalization of each channel
made of them, and its application with SiLU, from which pixels are quantized at once.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from . import pixels as triton_pixels
from .device import INTERPRETED
from .sizes import cdiv, next_power_of_2

MAX_PARTS = 64
"""Into so many parts at most an image is split for its moments, which the second kernel reads all
at once.
"""
BLOCK_P, BLOCK_C = 64, 64
"""Pixels and channels that one program of the first kernel reads at a time."""


@triton.jit
def moments_kernel(
    x,
    means,
    deviations,
    pixels,
    channels,
    parts,
    steps,
    BLOCK_P: tl.constexpr,
    BLOCK_C: tl.constexpr,
):
    """Compute each channel's mean, and its sum of squared deviations from it, in a part of an
    image: `steps` times BLOCK_P pixels.

    Blocks are merged as by Chan et al. (1979), so that a large mean costs no precision.
    """
    part, image = tl.program_id(0), tl.program_id(1)
    channel = tl.program_id(2) * BLOCK_C + tl.arange(0, BLOCK_C)
    real = channel < channels
    mean = tl.zeros((BLOCK_C,), tl.float32)
    deviation = tl.zeros((BLOCK_C,), tl.float32)
    begin = part * steps * BLOCK_P
    for step in range(steps):
        pixel = begin + step * BLOCK_P + tl.arange(0, BLOCK_P)
        before = tl.minimum(step * BLOCK_P, pixels - begin).to(tl.float32)
        after = tl.minimum((step + 1) * BLOCK_P, pixels - begin).to(tl.float32)
        here = after - before
        mask = (pixel < pixels)[:, None] & real[None, :]
        at = (image * pixels + pixel[:, None]) * channels + channel[None, :]
        values = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        own = tl.sum(values, 0) / tl.maximum(here, 1.0)
        apart = tl.where(mask, values - own[None, :], 0.0)
        further = own - mean
        deviation += tl.sum(apart * apart, 0) + further * further * (before * here / after)
        mean += further * (here / after)
    to = (image * parts + part) * channels + channel
    tl.store(means + to, mean, mask=real)
    tl.store(deviations + to, deviation, mask=real)


@triton.jit
def factors_kernel(
    means,
    deviations,
    weight,
    bias,
    factors,
    offsets,
    pixels,
    channels,
    parts,
    part_pixels,
    eps,
    WIDTH: tl.constexpr,
    BLOCK_W: tl.constexpr,
    BLOCK_PARTS: tl.constexpr,
):
    """Compute factor and offset of each channel of one group: normalized x = factor x + offset."""
    group, image = tl.program_id(0), tl.program_id(1)
    part, inside = tl.arange(0, BLOCK_PARTS), tl.arange(0, BLOCK_W)
    channel = group * WIDTH + inside
    real = inside < WIDTH
    mask = (part < parts)[:, None] & real[None, :]
    at = (image * parts + part[:, None]) * channels + channel[None, :]
    mean = tl.load(means + at, mask=mask, other=0.0)
    deviation = tl.load(deviations + at, mask=mask, other=0.0)
    count = tl.minimum(part_pixels, pixels - part * part_pixels).to(tl.float32)[:, None]
    total = pixels * WIDTH * 1.0
    centre = tl.sum(tl.sum(tl.where(mask, mean * count, 0.0), 1), 0) / total
    apart = tl.where(mask, mean - centre, 0.0)
    sums = tl.where(mask, deviation + apart * apart * count, 0.0)
    variance = tl.sum(tl.sum(sums, 1), 0) / total
    factor = tl.load(weight + channel, mask=real, other=0.0).to(tl.float32)
    factor = factor / tl.sqrt_rn(variance + eps)
    offset = tl.load(bias + channel, mask=real, other=0.0).to(tl.float32) - centre * factor
    tl.store(factors + image * channels + channel, factor, mask=real)
    tl.store(offsets + image * channels + channel, offset, mask=real)


@triton.jit
def normed_kernel(
    x,
    factors,
    offsets,
    codes,
    scales,
    pixels,
    channels,
    TINY: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_C: tl.constexpr,
):
    """Compute the codes and scales of SiLU(factor x + offset), as `pixels.quantize_kernel` does."""
    pixel, image = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M), tl.program_id(1)
    channel = tl.arange(0, BLOCK_C)
    real, present = pixel < pixels, channel < channels
    mask = real[:, None] & present[None, :]
    at = (image * pixels + pixel[:, None]) * channels + channel[None, :]
    factor = tl.load(factors + image * channels + channel, mask=present, other=0.0)
    offset = tl.load(offsets + image * channels + channel, mask=present, other=0.0)
    normed = tl.load(x + at, mask=mask, other=0.0).to(tl.float32) * factor[None, :]
    normed += offset[None, :]
    values = normed / (1.0 + tl.exp(-normed))
    rounded, scale = triton_pixels.int8_codes(values, TINY)
    tl.store(codes + at, rounded, mask=mask)
    tl.store(scales + image * pixels + pixel, scale, mask=real)


def quantize_normed(
    x: Tensor, weight: Tensor, bias: Tensor, groups: int, eps: float
) -> tuple[Tensor, Tensor]:
    """Like `quantize_pixels` of SiLU(GroupNorm(x)), for x float [B, H, W, C].

    weight and bias [C] are those of the norm. Raises ValueError if `unmet_requirements` has a
    reason.
    """
    if reasons := unmet_requirements(x, groups):
        raise ValueError("the norm's kernels cannot run: " + "; ".join(reasons))
    x = x.contiguous()
    batch, channels = x.shape[0], x.shape[-1]
    pixels = x.shape[1] * x.shape[2]
    steps = cdiv(pixels, BLOCK_P * MAX_PARTS)
    parts = cdiv(pixels, BLOCK_P * steps)
    moments = torch.empty(2, batch, parts, channels, dtype=torch.float32, device=x.device)
    normalization = torch.empty(2, batch, channels, dtype=torch.float32, device=x.device)
    codes = torch.empty_like(x, dtype=torch.int8)
    scale = torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device)
    width = channels // groups
    blocks = triton_pixels.blocks(channels)
    with torch.cuda.device_of(x):
        moments_kernel[(parts, batch, cdiv(channels, BLOCK_C))](
            x,
            *moments,
            pixels,
            channels,
            parts,
            tl.constexpr(steps) if INTERPRETED else steps,  # as in `conv.conv2d_taps`
            BLOCK_P=BLOCK_P,
            BLOCK_C=BLOCK_C,
        )
        factors_kernel[(groups, batch)](
            *moments,
            weight.contiguous(),
            bias.contiguous(),
            *normalization,
            pixels,
            channels,
            parts,
            steps * BLOCK_P,
            eps,
            WIDTH=width,
            BLOCK_W=next_power_of_2(width),
            BLOCK_PARTS=next_power_of_2(parts),
        )
        normed_kernel[(cdiv(pixels, blocks["BLOCK_M"]), batch)](
            x, *normalization, codes, scale, pixels, channels, **blocks
        )
    return codes, scale


def unmet_requirements(x: Tensor, groups: int) -> list[str]:
    """Every reason why `quantize_normed` cannot run on `x`; an empty list = it can."""
    reasons = triton_pixels.unmet_requirements(x)
    if x.shape[-1] % groups:
        reasons.append(f"{x.shape[-1]} channels in {groups} groups")
    return reasons
