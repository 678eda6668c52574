"""Who computes each operation on the device at hand, and why.

What is answered here is what runs and what reports say. Where nobody computes in integers, weights
are decoded and the product runs in floating point: slower, never an error.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import torch
from comfy_kitchen.exceptions import NoCapableBackendError
from comfy_kitchen.registry import registry

KITCHEN = "comfy-kitchen"
TRITON_CONV = "Triton int8 convolution"
TAPS = "int8 per kernel tap"
TRITON_ATTENTION = "Triton mixed-row attention"
TORCH_ATTENTION = "torch in float32"
FLOAT = "floating point"

INT8_MIN_CAPABILITY = (7, 5)
"""CUDA compute capability from which tensor cores multiply int8 (Turing)."""
W4A8_MIN_CAPABILITY = (8, 0)
"""From which comfy-kitchen's kernels decode 4-bit weights (`backends/cuda/__init__.py` there)."""
TRITON_MIN_CAPABILITY = (8, 0)
MIN_TRITON = (3, 4)
"""The first whose kernels are tested here."""
MIN_CHANNEL_PRODUCT = 256 * 256
"""Below this many input x output channels the float convolution is the faster one on a CPU."""

ROTATION = 256
"""The only group size that comfy-kitchen's CUDA kernels rotate
(`launch_quantize_int8_rowwise_convrot_kernel`).
"""
MAX_ROTATED_WIDTH = 16384
"""A rotated row lies in shared memory whole (`_CONVROT_FUSED_MAX_K` of comfy-kitchen)."""
CONV_MULTIPLE = 8
"""Input and output channels of an int8 convolution come in multiples of this."""


class Backend(NamedTuple):
    """Who computes, and why it is them."""

    name: str
    why: str


@dataclass(frozen=True)
class Machine:
    """A device, as far as the choice of a backend goes."""

    kind: str
    """"cpu", "cuda" (NVIDIA), "hip" (AMD), or torch's name of another device type."""
    capability: tuple[int, int] | None = None
    """CUDA compute capability; None where torch sees no such device."""
    triton: tuple[int, int] | None = None
    """Version; None = not installed."""
    kitchen: str = "eager"
    """comfy-kitchen's fastest backend that the host has turned on."""


def machine(device: torch.device | str) -> Machine:
    """The machine that `device` is: the one place that asks torch, Triton and comfy-kitchen.

    Every layer asks at every call, so what cannot change is looked up once.
    """
    device = torch.device(device)
    if device.type != "cuda":
        return Machine(device.type)
    if torch.version.hip is not None:
        return Machine("hip")
    return Machine("cuda", _capability(device), _triton_version(), _kitchen_backend())


def int8_products(at: Machine) -> Backend:
    """Who multiplies int8 matrices: KITCHEN or FLOAT."""
    if at.kind == "cpu":
        return Backend(KITCHEN, "the CPU multiplies int8 matrices with int32 accumulation")
    if at.kind == "hip":
        return Backend(FLOAT, "no int8 product is tested on AMD")
    if at.kind != "cuda":
        return Backend(FLOAT, f"no int8 matrix product is known for device type {at.kind!r}")
    if at.capability is None:
        return Backend(FLOAT, "PyTorch sees no CUDA device")
    shown = "compute capability {}.{}".format(*at.capability)
    if at.capability < INT8_MIN_CAPABILITY:
        return Backend(
            FLOAT, f"int8 tensor cores need compute capability 7.5; this GPU has {shown}"
        )
    if at.kitchen == "eager":
        return Backend(
            FLOAT, "comfy-kitchen's kernels are off: they need PyTorch for CUDA 13 or newer"
        )
    return Backend(f"{KITCHEN} {at.kitchen}", f"int8 tensor cores ({shown})")


def linear(at: Machine, bits: int, width: int, rotation: int | None = None) -> Backend:
    """Who multiplies int8 tokens with a Linear weight of `bits` 8 or 4 and `width` input features.

    A 4-bit one is rotated in groups of `rotation`.
    """
    found = int8_products(at)
    if found.name == FLOAT or bits == 8 or at.kind == "cpu":
        return found
    if at.capability is None or at.capability < W4A8_MIN_CAPABILITY:
        return Backend(FLOAT, "comfy-kitchen decodes 4-bit weights from compute capability 8.0")
    if rotation != ROTATION or not rotates(width):
        return Backend(
            FLOAT,
            f"comfy-kitchen rotates groups of {ROTATION}; this weight has groups of {rotation}",
        )
    return found


def rotates(width: int) -> bool:
    """Whether comfy-kitchen's 4-bit format takes `width` input features on every device."""
    return width % ROTATION == 0 and width <= MAX_ROTATED_WIDTH


def conv(at: Machine, shape: tuple[int, ...], groups: int = 1) -> Backend:
    """Who convolves int8 pixels with a weight of `shape` [O, C, kh, kw]: TRITON_CONV, TAPS (on a
    CPU) or FLOAT.
    """
    outputs, channels = shape[:2]
    if groups != 1 or outputs % CONV_MULTIPLE or channels % CONV_MULTIPLE:
        return Backend(
            FLOAT, f"int8 convolutions take channels in multiples of {CONV_MULTIPLE}, in one group"
        )
    if at.kind == "cpu":
        if outputs * channels < MIN_CHANNEL_PRODUCT:
            return Backend(FLOAT, "so small a convolution is faster so")
        return Backend(TAPS, "one int8 product for each kernel tap")
    if reasons := triton_reasons(at):
        return Backend(FLOAT, "; ".join(reasons))
    return Backend(TRITON_CONV, "implicit matrix product on int8 tensor cores")


def attention(at: Machine, kv_bits: int | None, per_tensor: bool) -> Backend:
    """TRITON_ATTENTION or TORCH_ATTENTION for stored rows of `kv_bits`."""
    if kv_bits is None:
        return Backend(TORCH_ATTENTION, "keys and values are not quantized")
    if per_tensor:
        return Backend(TORCH_ATTENTION, "one scale for a whole tensor is simulated")
    if reasons := triton_reasons(at):
        return Backend(TORCH_ATTENTION, "; ".join(reasons))
    return Backend(
        TRITON_ATTENTION,
        "stored codes are read as they are; products of integers in fp16, which are exact",
    )


def triton_reasons(at: Machine) -> list[str]:
    """Every reason why our Triton kernels cannot run; none = they run."""
    if at.kind == "hip":
        return ["our Triton kernels are not tested on AMD"]
    if at.kind != "cuda":
        return [f"{at.kind} is not a CUDA device"]
    if at.capability is None:
        return ["torch sees no CUDA device"]
    reasons = []
    if at.triton is None:
        reasons.append("Triton is not installed (on Windows: pip install triton-windows)")
    elif at.triton < MIN_TRITON:
        reasons.append("Triton {}.{}; {}.{} or newer is needed".format(*at.triton, *MIN_TRITON))
    if at.capability < TRITON_MIN_CAPABILITY:
        reasons.append(
            "compute capability {}.{}; Triton needs {}.{}".format(
                *at.capability, *TRITON_MIN_CAPABILITY
            )
        )
    return reasons


@cache
def _capability(device: torch.device) -> tuple[int, int] | None:
    seen = torch.version.cuda is not None and torch.cuda.is_available()
    return torch.cuda.get_device_capability(device) if seen else None


@cache
def _triton_version() -> tuple[int, int] | None:
    if importlib.util.find_spec("triton") is None:
        return None
    import triton

    major, minor = triton.__version__.split(".")[:2]
    return int(major), int(minor)


def _kitchen_backend() -> str:
    try:
        return registry.get_capable_backend("int8_linear")
    except NoCapableBackendError:
        return "eager"
