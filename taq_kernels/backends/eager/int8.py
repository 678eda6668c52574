"""int8 rounding and int8 matrix products, for every device that supports them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

CUDA_MIN_ROWS = 17
"""The fewest rows that torch._int_mm accepts on CUDA."""


def round_to_int(x: Tensor, low: int, high: int, seed: int | None = None) -> Tensor:
    """Round to the nearest integer in low..high; with a `seed` above 0, stochastically.

    Stochastic rounding is floor(x + u), with u uniform in [0, 1). On average it preserves changes
    smaller than a step, such as a LoRA added to quantized weights.
    """
    if seed:
        generator = torch.Generator(device=x.device).manual_seed(seed)
        noise = torch.rand(x.shape, generator=generator, device=x.device, dtype=x.dtype)
        return torch.floor(x + noise).clamp_(low, high)
    return torch.round(x).clamp_(low, high)


def int8_codes(x: Tensor, over: int | tuple[int, ...] = -1) -> tuple[Tensor, Tensor]:
    """Quantize x symmetrically: codes -127..127 in float32, and the scale max |x| / 127.

    The values along the dimensions `over` share a scale; the scale keeps these dimensions, of size
    1. Zeros have the code 0.
    """
    values = x.float()
    scale = values.abs().amax(over, keepdim=True)
    scale = scale.clamp_(min=torch.finfo(torch.float32).tiny * 127) / 127
    return (values / scale).round_(), scale


def int8_matmul(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiply int8 a [M, K] by the transpose of int8 b [N, K]; returns int32 [M, N].

    On CUDA, K and N must be multiples of 8.
    """
    rows = a.shape[0]
    if a.is_cuda and rows < CUDA_MIN_ROWS:
        return torch._int_mm(functional.pad(a, (0, 0, 0, CUDA_MIN_ROWS - rows)), b.T)[:rows]
    return torch._int_mm(a, b.T) if out is None else torch._int_mm(a, b.T, out=out)
