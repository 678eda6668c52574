"""Int8 convolution as one Triton kernel: implicit GEMM over channels-last pixels, with a scale for
each pixel.

Output pixels x output channels are the tile of a program; it walks over the kernel taps and, for
each, over the input channels. Nothing is unfolded and nothing padded: taps outside the image read
zeros. The int32 sum of a tap is multiplied by the scale of the pixel that the tap met, and the taps
are added in float32, as `eager.conv.conv2d_int8` does. Weights in 4 bits are decoded to int8 inside
the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from ..eager.conv import out_size
from .device import DTYPES, INTERPRETED, device_reasons

MAX_ELEMENTS = 2**31
"""Offsets inside the kernels are 32-bit."""


@triton.jit
def _decode(codes, steps, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUPS: tl.constexpr):
    """int8 weights from codes 0..15 (less 8: -8..7) [N, K] and group scales [N, GROUPS]."""
    grouped = tl.reshape(codes.to(tl.int8) - 8, [BLOCK_N, GROUPS, BLOCK_K // GROUPS])
    return tl.reshape(grouped * steps[:, :, None], [BLOCK_N, BLOCK_K])


@triton.jit
def _conv_kernel(
    x,
    x_scale,
    taps,
    group_scale,
    scale,
    bias,
    out,
    pixels,
    height,
    width,
    out_height,
    out_width,
    row,
    outputs,
    stride_y,
    stride_x,
    pad_y,
    pad_x,
    dilation_y,
    dilation_x,
    KERNEL_Y: tl.constexpr,
    KERNEL_X: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    BAND: tl.constexpr,
):
    """One tile of output pixels x output channels.

    GROUP 0: int8 weights; else channels that share a group scale.

    `row` is the bytes of weights of one tap and output channel: as many as input channels, or half
    as many. With 4-bit weights a step reads BLOCK_K bytes and takes two products: of the low
    nibbles, which hold the first half of the channels, and of the high ones.
    """
    # Programs go through a band of pixel tiles for each channel tile, so that both stay in the L2
    # cache.
    tiles_m, tiles_n = tl.cdiv(pixels, BLOCK_M), tl.cdiv(outputs, BLOCK_N)
    band = tl.program_id(0) // (BAND * tiles_n)
    band_size = tl.minimum(tiles_m - band * BAND, BAND)
    inside_band = tl.program_id(0) % (BAND * tiles_n)
    pixel = (band * BAND + inside_band % band_size) * BLOCK_M + tl.arange(0, BLOCK_M)
    output = (inside_band // band_size) * BLOCK_N + tl.arange(0, BLOCK_N)
    real_pixel, real_output = pixel < pixels, output < outputs
    image = pixel // (out_height * out_width)
    top = (pixel // out_width % out_height) * stride_y - pad_y
    left = (pixel % out_width) * stride_x - pad_x

    channels = row * (2 if GROUP > 0 else 1)
    steps = (row + BLOCK_K - 1) // BLOCK_K
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    result = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    # One loop over taps and channels, so that loads run ahead from one tap into the next.
    for step in range(KERNEL_Y * KERNEL_X * ((row + BLOCK_K - 1) // BLOCK_K)):
        tap = step // steps
        y = top + (tap // KERNEL_X) * dilation_y
        x_at = left + (tap % KERNEL_X) * dilation_x
        inside = real_pixel & (y >= 0) & (y < height) & (x_at >= 0) & (x_at < width)
        source = (image * height + y) * width + x_at
        k = (step % steps) * BLOCK_K + tl.arange(0, BLOCK_K)
        a_mask = inside[:, None] & (k < row)[None, :]
        b_row = tap * outputs + output
        b_mask = real_output[:, None] & (k < row)[None, :]
        a = tl.load(x + source[:, None] * channels + k[None, :], mask=a_mask, other=0)
        b = tl.load(taps + b_row[:, None] * row + k[None, :], mask=b_mask, other=0)
        if GROUP > 0:
            GROUPS: tl.constexpr = BLOCK_K // GROUP
            group = (step % steps) * GROUPS + tl.arange(0, GROUPS)
            at = group_scale + b_row[:, None] * (channels // GROUP) + group[None, :]
            g_mask = real_output[:, None] & (group * GROUP < row)[None, :]
            low = _decode(b & 15, tl.load(at, mask=g_mask, other=0), BLOCK_N, BLOCK_K, GROUPS)
            acc = tl.dot(a, tl.trans(low), acc, out_dtype=tl.int32)
            a = tl.load(x + source[:, None] * channels + (k + row)[None, :], mask=a_mask, other=0)
            b = _decode(
                b >> 4, tl.load(at + row // GROUP, mask=g_mask, other=0), BLOCK_N, BLOCK_K, GROUPS
            )
        acc = tl.dot(a, tl.trans(b), acc, out_dtype=tl.int32)
        if step % steps == steps - 1:
            pixel_scale = tl.load(x_scale + source, mask=inside, other=0.0)
            result += acc.to(tl.float32) * pixel_scale[:, None]
            acc = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    result *= tl.load(scale + output, mask=real_output, other=0.0)[None, :]
    if HAS_BIAS:
        result += tl.load(bias + output, mask=real_output, other=0.0).to(tl.float32)[None, :]
    at = pixel[:, None] * outputs + output[None, :]
    tl.store(out + at, result, mask=real_pixel[:, None] & real_output[None, :])


class Tile(NamedTuple):
    """What one program computes: `m` output pixels x `n` output channels, `k` bytes of weights a
    step.
    """

    m: int
    n: int
    k: int
    warps: int
    stages: int


TILES = {
    8: (
        Tile(128, 128, 64, 8, 4),
        Tile(128, 64, 128, 8, 3),
        Tile(64, 64, 128, 4, 4),
        Tile(32, 64, 128, 4, 4),
    ),
    4: (Tile(128, 64, 64, 8, 3), Tile(64, 64, 64, 4, 4), Tile(32, 64, 64, 4, 4)),
}
"""By the bits of the weights, largest first. Stages of (m + n) * k bytes fit the 99 KiB of shared
memory of desktop cards, and the two sums of a tile the registers: none spills on any of five
generations of GPUs.
"""
BAND = 8
"""Pixel tiles that share a channel tile while it is in the L2 cache."""


def choose_tile(pixels: int, outputs: int, bits: int, processors: int) -> Tile:
    """The largest tile of which there is one for every multiprocessor: larger ones read less, too
    few leave some idle.

    A rule and no measurement, so that a first picture does not wait for one.
    """
    tiles = TILES[bits]
    return next(
        (t for t in tiles if triton.cdiv(pixels, t.m) * triton.cdiv(outputs, t.n) >= processors),
        tiles[-1],
    )


@cache
def _processors(device: torch.device) -> int:
    return (
        torch.cuda.get_device_properties(device).multi_processor_count
        if device.type == "cuda"
        else 1
    )


def conv2d_taps(
    x: Tensor,
    x_scale: Tensor,
    taps: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    dtype: torch.dtype = torch.float32,
    group_scale: Tensor | None = None,
) -> Tensor:
    """Convolution of pixels x int8 [B, H, W, C] with x_scale float32 [B, H, W]; returns `dtype` [B,
    H', W', O].

    taps int8 [kh, kw, O, C] with scale float32 [O]; or, with `group_scale` int8 [kh, kw, O, C/32],
    4-bit codes plus 8 as uint8 [kh, kw, O, C/2] of `pack_nibbles`. bias [O]; stride, padding and
    dilation are (y, x).

    Raises ValueError with every reason of `constraints`.
    """
    if reasons := constraints(x, taps, group_scale, stride, padding, dilation, dtype):
        raise ValueError("the convolution kernel cannot run: " + "; ".join(reasons))
    batch, height, width, channels = x.shape
    kernel_y, kernel_x, outputs = taps.shape[:3]
    out_height, out_width = out_size(x.shape[1:3], taps.shape[:2], stride, padding, dilation)
    out = torch.empty(batch, out_height, out_width, outputs, dtype=dtype, device=x.device)
    pixels = batch * out_height * out_width
    taps = taps.contiguous()
    tile = choose_tile(pixels, outputs, 8 if group_scale is None else 4, _processors(x.device))
    with torch.cuda.device_of(x):
        _conv_kernel[(triton.cdiv(pixels, tile.m) * triton.cdiv(outputs, tile.n),)](
            x.contiguous(),
            x_scale.contiguous(),
            taps,
            taps if group_scale is None else group_scale.contiguous(),
            scale.contiguous(),
            scale if bias is None else bias.contiguous(),
            out,
            pixels,
            height,
            width,
            out_height,
            out_width,
            # Triton 3.6's interpreter cannot count a loop by a run-time number under NumPy 2.4.
            tl.constexpr(taps.shape[-1]) if INTERPRETED else taps.shape[-1],
            outputs,
            *stride,
            *padding,
            *dilation,
            KERNEL_Y=kernel_y,
            KERNEL_X=kernel_x,
            HAS_BIAS=bias is not None,
            GROUP=0 if group_scale is None else channels // group_scale.shape[-1],
            BLOCK_M=tile.m,
            BLOCK_N=tile.n,
            BLOCK_K=tile.k,
            BAND=BAND,
            num_warps=tile.warps,
            num_stages=tile.stages,
        )
    return out


def constraints(
    x: Tensor,
    taps: Tensor,
    group_scale: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    dtype: torch.dtype,
) -> list[str]:
    """Every reason why `conv2d_taps` cannot run on these arguments; none = it runs."""
    reasons = device_reasons(x)
    channels, outputs = x.shape[-1], taps.shape[2]
    if dtype not in DTYPES:
        reasons.append(f"the result must be float32, float16 or bfloat16; got {dtype}")
    expected = channels if group_scale is None else channels // 2
    if taps.shape[-1] != expected:
        reasons.append(
            f"taps {tuple(taps.shape)} must end in {expected} for pixels of {channels} channels"
        )
    if x.dtype != torch.int8 or taps.dtype != (torch.int8 if group_scale is None else torch.uint8):
        reasons.append(
            f"pixels must be int8 and taps int8, or uint8 in 4 bits; got {x.dtype} and {taps.dtype}"
        )
    if group_scale is not None and (channels % 64 or channels // 32 != group_scale.shape[-1]):
        reasons.append(
            f"4-bit taps of {channels} channels in {group_scale.shape[-1]} groups; groups must be "
            "of 32 channels and fill each half of them"
        )
    size = out_size(x.shape[1:3], taps.shape[:2], stride, padding, dilation)
    if min(size) < 1:
        reasons.append(
            f"an image of {tuple(x.shape[1:3])} is smaller than the kernel {tuple(taps.shape[:2])}"
        )
    largest = max(x.numel(), taps.numel(), x.shape[0] * size[0] * size[1] * outputs)
    if largest >= MAX_ELEMENTS:
        reasons.append(f"a tensor of {largest} elements; fewer than {MAX_ELEMENTS}")
    return reasons
