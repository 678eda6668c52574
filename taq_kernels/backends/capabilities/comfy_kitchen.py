"""comfy-kitchen: products of Linear layers in int8, with weights of 8 or 4 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from comfy_kitchen.registry import registry as kitchen
from comfy_kitchen.tensor import AsymW4A8Int8Layout
from torch import Tensor
from torch.nn import functional

from .. import operators
from ..backend import Answer, Backend
from ..machine import SLOW_INT8, Machine

KITCHEN = "comfy-kitchen"

INT8_MIN_CAPABILITY = (7, 5)
"""The lowest CUDA compute capability whose tensor cores multiply int8 (Turing)."""
W4A8_MIN_CAPABILITY = (8, 0)
"""The lowest compute capability for which comfy-kitchen's kernels decode 4-bit weights
(`backends/cuda/__init__.py` there).
"""
ROTATION = 256
"""The only group size that comfy-kitchen's CUDA kernels rotate
(`launch_quantize_int8_rowwise_convrot_kernel`).
"""
MAX_ROTATED_WIDTH = 16384
"""The widest row that comfy-kitchen rotates: all of it must fit in shared memory
(`_CONVROT_FUSED_MAX_K` there).
"""


class ComfyKitchen(Backend):
    """Linear by comfy-kitchen's own choice of a kernel."""

    def linear(self, x: Tensor, weight: Any, bias: Tensor | None) -> Tensor:
        """Like `Backend.linear`.

        Its function is called directly, because the operators of torch around it take longer than
        many a product on a GPU. To torch.compile it is one opaque operator.
        """
        p, traced = weight.params, torch.compiler.is_compiling()
        if weight._layout_cls == AsymW4A8Int8Layout.__name__:
            if traced:
                rest = p.codebook, p.correction, bias, p.group_size, p.convrot_groupsize
                return operators.linear_w4a8(x, weight._qdata, p.scale, p.s_channel, *rest)
            return self._run(
                "w4a8_int8_linear",
                x=x,
                qdata=weight._qdata,
                s_rel=p.scale,
                s_channel=p.s_channel,
                codebook=p.codebook,
                correction=p.correction,
                bias=bias,
                group_size=p.group_size,
                convrot_groupsize=p.convrot_groupsize,
                out_dtype=x.dtype,
            )
        if traced or p.transposed:
            return functional.linear(x, weight, bias)
        return self._run(
            "int8_linear",
            x=x.contiguous(),
            weight=weight._qdata.contiguous(),
            weight_scale=p.scale,
            bias=bias,
            out_dtype=x.dtype,
            convrot=p.convrot,
            convrot_groupsize=p.convrot_groupsize,
        )

    def _run(self, function: str, **given: Any) -> Tensor:
        """The result of comfy-kitchen's `function`, by the kernel that it chooses for `given`.

        It chooses by these dtypes, the device, and what is turned on, which the backend's name
        says; to ask it at each call takes as long as to launch a kernel.
        """
        x, bias = given["x"], given["bias"]
        key = self.name, function, x.dtype, x.device.type, x.dim() > 1, bias is None or bias.dtype
        if key not in CHOSEN:
            CHOSEN[key] = kitchen.get_implementation(function, kwargs=given)
        return CHOSEN[key](**given)


CHOSEN: dict[tuple[Any, ...], Callable[..., Tensor]] = {}
"""comfy-kitchen's choices."""


def int8_products(at: Machine) -> Answer:
    """Whether comfy-kitchen multiplies int8 matrices."""
    if at.slow_int8:
        return SLOW_INT8
    if at.kind == "cpu":
        return ComfyKitchen(KITCHEN, "the CPU multiplies int8 matrices with int32 accumulation")
    if at.kind == "hip":
        return "no int8 product is tested on AMD"
    if at.kind != "cuda":
        return f"no int8 matrix product is known for device type {at.kind!r}"
    if at.capability is None:
        return "PyTorch sees no CUDA device"
    shown = "compute capability {}.{}".format(*at.capability)
    if at.capability < INT8_MIN_CAPABILITY:
        return f"int8 tensor cores need compute capability 7.5; this GPU has {shown}"
    if at.kitchen == "eager":
        return "comfy-kitchen's kernels are off: they need PyTorch for CUDA 13 or newer"
    return ComfyKitchen(f"{KITCHEN} {at.kitchen}", f"int8 tensor cores ({shown})")


def linear(at: Machine, bits: int, width: int, rotation: int | None) -> Answer:
    """Whether comfy-kitchen runs Linear in int8; its kernels decode and rotate 4-bit weights."""
    found = int8_products(at)
    if isinstance(found, str) or bits == 8 or at.kind == "cpu":
        return found
    if at.capability is None or at.capability < W4A8_MIN_CAPABILITY:
        return "comfy-kitchen decodes 4-bit weights from compute capability 8.0"
    if rotation != ROTATION or not rotates(width):
        return f"comfy-kitchen rotates groups of {ROTATION}; this weight has groups of {rotation}"
    return found


def rotates(width: int) -> bool:
    """Whether comfy-kitchen's 4-bit format supports `width` input features on every device."""
    return width % ROTATION == 0 and width <= MAX_ROTATED_WIDTH
