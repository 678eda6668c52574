"""int8 rounding and int8 matrix products, for every device that has them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

CUDA_MIN_ROWS = 17
"""torch._int_mm on CUDA refuses fewer rows."""


def round_to_int(x: Tensor, low: int, high: int, seed: int | None = None) -> Tensor:
    """Round to the nearest integer in low..high, or stochastically with a `seed` above 0: floor(x +
    u), u uniform in [0, 1).

    Stochastic rounding keeps, on average, changes smaller than a step (a LoRA added to quantized
    weights).
    """
    if seed:
        generator = torch.Generator(device=x.device).manual_seed(seed)
        noise = torch.rand(x.shape, generator=generator, device=x.device, dtype=x.dtype)
        return torch.floor(x + noise).clamp_(low, high)
    return torch.round(x).clamp_(low, high)


def int8_matmul(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """A [M, K] x b [N, K] transposed, both int8, as int32 [M, N]. On CUDA K and N must be multiples
    of 8.
    """
    rows = a.shape[0]
    if a.is_cuda and rows < CUDA_MIN_ROWS:
        return torch._int_mm(functional.pad(a, (0, 0, 0, CUDA_MIN_ROWS - rows)), b.T)[:rows]
    return torch._int_mm(a, b.T) if out is None else torch._int_mm(a, b.T, out=out)
