"""Count the bytes of all tensors of a module, in the same way for every tool."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from torch import Tensor, nn
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

HALF = 2
"""Bytes of a value in floating point: what it takes in a half-precision model."""


def stored_bytes(module: nn.Module, half_scales: bool = False) -> int:
    """Return the bytes of all parameters and buffers.

    Plain floating-point tensors count at most two bytes a value. Codes, and the scales, zero points
    and tables of a quantized tensor, count their own size; with `half_scales`, their floating-point
    values count two bytes too.
    """
    return sum(
        _bytes(tensor, half_scales) for tensor in chain(module.parameters(), module.buffers())
    )


def half_bytes(tensor: Tensor) -> int:
    """Return the tensor's bytes, with at most two bytes for a floating-point value."""
    size = min(tensor.element_size(), HALF) if tensor.is_floating_point() else tensor.element_size()
    return tensor.numel() * size


def _bytes(tensor: Tensor, half_scales: bool) -> int:
    if is_traceable_wrapper_subclass(tensor):
        return sum(half_bytes(part) if half_scales else part.nbytes for part in _inner(tensor))
    attached = {
        part.data_ptr(): part.nbytes
        for part in _attached(tensor)
        if part.data_ptr() != tensor.data_ptr()
    }
    return half_bytes(tensor) + sum(attached.values())


def _inner(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the plain tensors that a tensor subclass consists of."""
    if not is_traceable_wrapper_subclass(tensor):
        yield tensor
        return
    for name in tensor.__tensor_flatten__()[0]:
        yield from _inner(getattr(tensor, name))


def _attached(holder: object) -> Iterator[Tensor]:
    """Yield tensors that are attributes of another object, as in bitsandbytes.

    It attaches a tensor's scales in a quantization state, which may contain another one.
    """
    for value in vars(holder).values():
        if isinstance(value, Tensor):
            yield value
        elif hasattr(value, "absmax"):
            yield from _attached(value)
