"""The uniform affine quantizer: equal steps from the smallest value to the largest."""

from __future__ import annotations

import torch
from torch import Tensor

from .quantizer import Codes, Quantizer


class Uniform(Quantizer):
    """Quantizer q = clip(round(x/s) + z, 0, 2^b - 1), x_hat = s (q - z), also for signed values."""

    name = "uniform"
    kernel = "uniform"

    def quantize(self, x: Tensor, bits: int) -> Codes:
        """Codes of x [..., C], with s and z from the minimum and maximum of each vector.

        The range is widened to contain 0, so that z is a code (one byte) and 0 is exact, as usual
        for affine quantization (Jacob et al. 2018). A constant vector is exact; a vector of zeros
        has s = 1.
        """
        levels = 2**bits - 1
        x = x.float()
        low = x.amin(-1, keepdim=True).clamp(max=0)
        high = x.amax(-1, keepdim=True).clamp(min=0)
        scale = (high - low) / levels
        scale = torch.where(scale > 0, scale, torch.ones_like(scale))
        zero = torch.round(-low / scale)
        q = (torch.round(x / scale) + zero).clamp_(0, levels)
        return Codes(q.to(torch.uint8), scale, zero.to(torch.uint8))

    def dequantize(self, codes: Codes, dtype: torch.dtype = torch.float32) -> Tensor:
        """The values s (q - z) [..., C], cast to `dtype`."""
        return ((codes.q.float() - codes.zero.float()) * codes.scale).to(dtype)


QUANTIZER = Uniform()


def uniform_quantize_dequantize(x: Tensor, bits: int, per_tensor: bool = False) -> Tensor:
    """Quantize x [B, ..., C] uniformly and decode it again, in the dtype of x.

    Each vector (last dimension) has its own scale, or with `per_tensor` each of the B batch
    entries.
    """
    vectors = x.flatten(1) if per_tensor else x
    return QUANTIZER.quantize_dequantize(vectors, bits).view(x.shape)
