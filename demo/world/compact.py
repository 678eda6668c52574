"""Store weights in few bytes: integers with one scale per output, compressed."""

from __future__ import annotations

import lzma

import torch
from torch import Tensor

BITS = 7
_SCALE = ".scale"
_SMALL = 256
"""Tensors with fewer values are stored in float16."""


def pack(tensors: dict[str, Tensor], bits: int = BITS) -> bytes:
    """Store matrices and kernels [outputs, ...] as integers of `bits` bits, all else in float16.

    The integers are symmetric, with one scale per output. The file is safetensors inside LZMA; most
    integers are near zero, which LZMA compresses well.
    """
    from safetensors.torch import save

    stored: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tensor.dim() < 2 or tensor.numel() < _SMALL:
            stored[name] = tensor.half().contiguous()
            continue
        rows = tensor.float().flatten(1)
        scale = (rows.abs().amax(1, keepdim=True) / (2 ** (bits - 1) - 1)).half()
        steps = (rows / scale.float().clamp(min=1e-12)).round().clamp(-127, 127)
        stored[name] = steps.to(torch.int8).reshape(tensor.shape).contiguous()
        stored[name + _SCALE] = scale
    return lzma.compress(save(stored), preset=6)


def unpack(data: bytes) -> dict[str, Tensor]:
    """Return the tensors that were given to `pack`, in float32, rounded as they were stored.

    They are sorted by name, since the order in the file varies.
    """
    from safetensors.torch import load

    stored = load(lzma.decompress(data))
    return {
        name: _restored(tensor, stored.get(name + _SCALE))
        for name, tensor in sorted(stored.items())
        if not name.endswith(_SCALE)
    }


def _restored(tensor: Tensor, scale: Tensor | None) -> Tensor:
    if scale is None:
        return tensor.float()
    return (tensor.flatten(1).float() * scale.float()).reshape(tensor.shape)
