"""Launch of the Triton kernel for int8 convolution, the arguments that it supports, and the tile of
a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
import triton.language as tl
from torch import Tensor

from ..bounds import MAX_ELEMENTS
from ..eager.conv import out_size
from .conv_kernel import conv_kernel
from .device import DTYPES, INTERPRETED, device_reasons
from .sizes import cdiv


class Tile(NamedTuple):
    """What one program computes: `m` output pixels x `n` output channels, from `k` input channels
    in each step.
    """

    m: int
    n: int
    k: int
    warps: int
    stages: int
    cost: float
    """Instructions for each of the tensor cores', relative to the largest tile (as compiled for an
    RTX 40).
    """


TILES = (
    Tile(128, 64, 128, 8, 3, 1.0),
    Tile(64, 64, 128, 4, 4, 1.05),
    Tile(32, 64, 128, 4, 4, 1.5),
)
"""The largest first.

The stages, of (m + n) * k bytes each, fit in the 99 KiB of shared memory of desktop GPUs, and the
two sums of a tile fit in registers: none spills on any of five generations of GPUs.
"""
BAND = 8
"""The number of pixel tiles that use a channel tile while it is in the L2 cache."""


@cache
def choose_tile(pixels: int, outputs: int, processors: int) -> Tile:
    """The tile with which the busiest multiprocessor is busy for the shortest time.

    Smaller tiles cost more instructions, but in the last round of programs they leave fewer
    multiprocessors idle. On an H200 the tile that this rule chooses was the fastest, on all five of
    SDXL's convolutions that were tried.
    """

    def longest(tile: Tile) -> float:
        programs = cdiv(pixels, tile.m) * cdiv(outputs, tile.n)
        return cdiv(programs, processors) * tile.m * tile.n * tile.cost

    return min(TILES, key=longest)


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
) -> Tensor:
    """Convolve pixels x int8 [B, H, W, C] that have x_scale float32 [B, H, W].

    Returns [B, H', W', O] in `dtype`. taps is int8 [kh, kw, O, C], scale float32 [O], bias [O];
    stride, padding and dilation are (y, x).

    Raises ValueError with every reason of `unmet_requirements`.
    """
    if reasons := unmet_requirements(x, taps, stride, padding, dilation, dtype):
        raise ValueError("the convolution kernel cannot run: " + "; ".join(reasons))
    batch, height, width, channels = x.shape
    kernel_y, kernel_x, outputs = taps.shape[:3]
    out_height, out_width = out_size(x.shape[1:3], taps.shape[:2], stride, padding, dilation)
    out = torch.empty(batch, out_height, out_width, outputs, dtype=dtype, device=x.device)
    pixels = batch * out_height * out_width
    tile = choose_tile(pixels, outputs, _processors(x.device))
    with torch.cuda.device_of(x):
        conv_kernel[(cdiv(pixels, tile.m) * cdiv(outputs, tile.n),)](
            x.contiguous(),
            x_scale.contiguous(),
            taps.contiguous(),
            scale.contiguous(),
            scale if bias is None else bias.contiguous(),
            out,
            pixels,
            height,
            width,
            out_height,
            out_width,
            # Under NumPy 2.4, Triton 3.6's interpreter cannot loop up to a number that is known
            # only at run time.
            tl.constexpr(channels) if INTERPRETED else channels,
            outputs,
            *stride,
            *padding,
            *dilation,
            KERNEL_Y=kernel_y,
            KERNEL_X=kernel_x,
            HAS_BIAS=bias is not None,
            BLOCK_M=tile.m,
            BLOCK_N=tile.n,
            BLOCK_K=tile.k,
            BAND=BAND,
            num_warps=tile.warps,
            num_stages=tile.stages,
        )
    return out


def unmet_requirements(
    x: Tensor,
    taps: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    dtype: torch.dtype,
) -> list[str]:
    """Every reason why `conv2d_taps` cannot run with these arguments; an empty list = it can."""
    reasons = device_reasons(x)
    channels, outputs = x.shape[-1], taps.shape[2]
    if dtype not in DTYPES:
        reasons.append(f"the result must be float32, float16 or bfloat16; got {dtype}")
    if taps.shape[-1] != channels:
        reasons.append(
            f"taps {tuple(taps.shape)} must end in {channels} for pixels of {channels} channels"
        )
    if x.dtype != torch.int8 or taps.dtype != torch.int8:
        reasons.append(f"pixels and taps must be int8; got {x.dtype} and {taps.dtype}")
    size = out_size(x.shape[1:3], taps.shape[:2], stride, padding, dilation)
    if min(size) < 1:
        reasons.append(
            f"an image of {tuple(x.shape[1:3])} is smaller than the kernel {tuple(taps.shape[:2])}"
        )
    largest = max(x.numel(), taps.numel(), x.shape[0] * size[0] * size[1] * outputs)
    if largest >= MAX_ELEMENTS:
        reasons.append(f"a tensor of {largest} elements; fewer than {MAX_ELEMENTS}")
    return reasons
