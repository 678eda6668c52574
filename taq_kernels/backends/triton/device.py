"""Where Triton kernels run: on a CUDA device or, slowly, on any device in Triton's interpreter."""

from __future__ import annotations

import torch
import triton
from torch import Tensor

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
"""Dtypes of the floating-point tensors that kernels read and write."""


@triton.jit
def _nothing():
    pass


INTERPRETED = not isinstance(_nothing, triton.JITFunction)
"""Whether TRITON_INTERPRET was set when the kernels were imported."""


def launch_nothing() -> None:
    """Launch an empty kernel on the current device; raises what keeps Triton from compiling it."""
    _nothing[(1,)]()


def device_reasons(x: Tensor) -> list[str]:
    """Why no kernel can run on the device of `x`; an empty list = kernels can."""
    if x.is_cuda or INTERPRETED:
        return []
    return [
        f"the tensor is on {x.device}; Triton needs a CUDA device, or TRITON_INTERPRET=1 before it "
        "is imported"
    ]
