"""2-D convolution with int8 weights and dynamically quantized activations, as one int8 product for
each kernel tap.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from .int8 import int8_codes, int8_matmul

Pair = int | tuple[int, int] | list[int]


def conv2d_int8(
    x: Tensor,
    q: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    stride: Pair = 1,
    padding: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:
    """Compute conv2d(x, q * scale) with x quantized to int8 and int8 products summed in int32.

    x [B, C, H, W]; q int8 [O, C, kh, kw]; scale float32 [O]; bias [O]. Returns [B, O, H', W'] in
    the dtype of x and in channels-last memory order. Each input pixel has its own scale (max |x|
    over its channels / 127), so an outlier costs no precision elsewhere, and an image does not
    depend on the others in its batch. Each kernel tap is one matrix product, with a row for each
    pixel; the products are added in float32. Unlike im2col, this does not copy the input kh*kw
    times.

    It is fastest when `q` is a permuted view of [kh, kw, O, C]. Raises ValueError for groups other
    than 1 or channels that differ.
    """
    if groups != 1 or q.shape[1] != x.shape[1]:
        raise ValueError(
            f"x {tuple(x.shape)} and q {tuple(q.shape)} must have the same channels, and groups "
            "must be 1"
        )
    taps = q.permute(2, 3, 0, 1).contiguous()
    kernel, outputs = taps.shape[:2], taps.shape[2]
    (sy, sx), (py, px), (dy, dx) = as_pair(stride), as_pair(padding), as_pair(dilation)
    pixels, pixel_scale = _quantize_pixels(x, py, px)
    height, width = out_size(x.shape[2:], kernel, (sy, sx), (py, px), (dy, dx))
    rows = x.shape[0] * height * width
    out = torch.zeros(rows, outputs, device=x.device)
    product = torch.empty(rows, outputs, device=x.device, dtype=torch.int32)
    as_float = torch.empty_like(out)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            down = slice(i * dy, i * dy + (height - 1) * sy + 1, sy)
            across = slice(j * dx, j * dx + (width - 1) * sx + 1, sx)
            matrix = pixels[:, down, across].reshape(rows, -1)
            as_float.copy_(int8_matmul(matrix, taps[i, j], out=product))
            out.addcmul_(as_float, pixel_scale[:, down, across].reshape(rows, 1))
    out.mul_(scale)
    if bias is not None:
        out.add_(bias)
    return out.view(x.shape[0], height, width, outputs).permute(0, 3, 1, 2).to(x.dtype)


def _quantize_pixels(x: Tensor, pad_y: int, pad_x: int) -> tuple[Tensor, Tensor]:
    """Quantize and zero-pad pixels: int8 [B, H + 2 pad_y, W + 2 pad_x, C], float scale [..., 1]."""
    codes, scale = int8_codes(x.permute(0, 2, 3, 1))
    border = (0, 0, pad_x, pad_x, pad_y, pad_y)
    return functional.pad(codes.to(torch.int8), border), functional.pad(scale, border)


def out_size(
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> tuple[int, int]:
    """Output size (H', W') of convolving an image of `size` (H, W); all arguments are (y, x)."""
    height, width = (
        (size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
        for i in range(2)
    )
    return height, width


def as_pair(value: Pair) -> tuple[int, int]:
    """(y, x) from one value for both, or a value for each."""
    if isinstance(value, int):
        return value, value
    first, second = (value[0], value[0]) if len(value) == 1 else value
    return first, second
