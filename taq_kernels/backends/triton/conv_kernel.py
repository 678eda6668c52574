"""Int8 convolution as one Triton kernel: implicit GEMM over channels-last pixels, with a scale for
each pixel.

A program computes a tile of output pixels x output channels. It loops over the kernel taps and, for
each tap, over the input channels. The image is neither unfolded nor padded: taps outside it read
zeros. The int32 sum of a tap is multiplied by the scale of its input pixel, and the taps are added
in float32, as in `eager.conv.conv2d_int8`.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def conv_kernel(
    x,
    x_scale,
    taps,
    scale,
    bias,
    out,
    pixels,
    height,
    width,
    out_height,
    out_width,
    channels,
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
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    BAND: tl.constexpr,
):
    """Compute one tile of output pixels x output channels."""
    # Programs take all pixel tiles of a band for one channel tile, then for the next, so that both
    # stay in the L2 cache.
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

    steps = (channels + BLOCK_K - 1) // BLOCK_K
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    result = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    # Taps and channels share one loop, so that the loads of the next tap can start early.
    for step in range(KERNEL_Y * KERNEL_X * ((channels + BLOCK_K - 1) // BLOCK_K)):
        tap = step // steps
        y = top + (tap // KERNEL_X) * dilation_y
        x_at = left + (tap % KERNEL_X) * dilation_x
        inside = real_pixel & (y >= 0) & (y < height) & (x_at >= 0) & (x_at < width)
        source = (image * height + y) * width + x_at
        k = (step % steps) * BLOCK_K + tl.arange(0, BLOCK_K)
        a_mask = inside[:, None] & (k < channels)[None, :]
        b_row = tap * outputs + output
        b_mask = real_output[:, None] & (k < channels)[None, :]
        a = tl.load(x + source[:, None] * channels + k[None, :], mask=a_mask, other=0)
        b = tl.load(taps + b_row[:, None] * channels + k[None, :], mask=b_mask, other=0)
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
