"""The values that a layer's input has at the bits of a preset, where no product takes its codes.

They are those that the products of integers round it to, so results do not depend on the device
beyond the rounding of floating point.
"""

from __future__ import annotations

from torch import Tensor

from .backends.eager.int8 import int8_codes
from .quantizers.uniform import uniform_quantize_dequantize
from .spec import Activations


def simulated(x: Tensor, activations: Activations, rows: int = -1) -> Tensor:
    """`x` [B, ...] at the bits of `activations`, in its shape and dtype.

    Rows lie along the dimension `rows`. At 8 bits the values are those of int8 products: symmetric,
    127 steps to the largest |x| of a row. At 4 bits, which no product takes, they are those of the
    paper's uniform quantizer.
    """
    if activations.bits is None:
        return x
    if activations.bits == 8:
        over = tuple(range(1, x.dim())) if activations.per_tensor else rows
        codes, scale = int8_codes(x, over)
        return codes.mul_(scale).to(x.dtype)
    last = x.movedim(rows, -1).contiguous()
    values = uniform_quantize_dequantize(last, activations.bits, activations.per_tensor)
    return values.movedim(-1, rows)
