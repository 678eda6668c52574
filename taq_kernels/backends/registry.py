"""Which backend computes each operation on a device, and why.

Layers run the backend chosen here, and reports name it. Where no backend computes in integers,
weights are decoded and the product runs in floating point: slower, but never an error.

To add a backend, add a file to `capabilities` and its name to `_FILES`.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from importlib import import_module

from ..quantizers import QUANTIZERS
from .backend import Answer, Backend
from .capabilities.comfy_kitchen import KITCHEN, ROTATION, rotates
from .capabilities.eager import ONE_BY_ONE, TAPS, TORCH_ATTENTION
from .capabilities.floating_point import FLOAT
from .capabilities.triton import (
    TRITON_ATTENTION,
    TRITON_CONV,
    TRITON_GELU,
    TRITON_NORM,
    triton_reasons,
)
from .machine import Machine, machine

__all__ = [
    "FLOAT",
    "KITCHEN",
    "ONE_BY_ONE",
    "ROTATION",
    "TAPS",
    "TORCH_ATTENTION",
    "TRITON_ATTENTION",
    "TRITON_CONV",
    "TRITON_GELU",
    "TRITON_NORM",
    "Backend",
    "Machine",
    "attention",
    "conv",
    "gated_gelu",
    "int8_products",
    "linear",
    "machine",
    "normed_conv",
    "rotates",
    "triton_reasons",
]

_FILES = (
    "comfy_kitchen",
    "triton",
    "eager",
    "floating_point",
)
"""In order of preference."""

_BACKENDS = tuple(import_module(f".capabilities.{file}", __package__) for file in _FILES)
_DEFAULT_QUANTIZER = next(iter(QUANTIZERS))


def int8_products(at: Machine) -> Backend:
    """The backend that multiplies int8 matrices; FLOAT = none does."""
    return _first("int8_products", at)


def linear(at: Machine, bits: int, width: int, rotation: int | None = None) -> Backend:
    """The backend that multiplies int8 tokens with a Linear weight; FLOAT = none does.

    The weight has `bits` 8 or 4 and `width` input features. A 4-bit weight is rotated in groups of
    `rotation` features.
    """
    return _first("linear", at, bits, width, rotation)


def conv(at: Machine, shape: tuple[int, ...], groups: int = 1) -> Backend:
    """The backend that convolves int8 pixels with a weight of `shape` [O, C, kh, kw].

    FLOAT = none does.
    """
    return _first("conv", at, shape, groups)


def normed_conv(at: Machine, shape: tuple[int, ...], groups: int = 1) -> Backend:
    """The backend that runs GroupNorm, SiLU and `conv` together.

    ONE_BY_ONE = none does.
    """
    return _first("normed_conv", at, shape, groups)


def gated_gelu(at: Machine) -> Backend:
    """The backend of the gated GELU of a feed-forward; ONE_BY_ONE = torch, in two passes."""
    return _first("gated_gelu", at)


def attention(
    at: Machine,
    kv_bits: int | None,
    per_tensor: bool,
    quantizer: str = _DEFAULT_QUANTIZER,
    tokens: int = 0,
) -> Backend:
    """The backend of cross-attention over keys and values that are stored in `kv_bits`.

    TORCH_ATTENTION = they are decoded. `quantizer` is the one for the attention weights, and
    `tokens` is the length of the text.
    """
    return _first("attention", at, kv_bits, per_tensor, quantizer, tokens)


@cache
def _first(operation: str, *asked: Hashable) -> Backend:
    """The first backend that runs `operation`. Layers ask it in every step, so it is cached.

    A fallback has no reason of its own: its reason is why the last backend before it cannot run the
    operation.
    """
    reason = ""
    for backend in _BACKENDS:
        declared = getattr(backend, operation, None)
        answer: Answer = declared(*asked) if declared else ""
        if isinstance(answer, Backend):
            return answer if answer.why else type(answer)(answer.name, reason)
        reason = answer or reason
    raise LookupError(f"no backend runs {operation}")
