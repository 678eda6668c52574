"""The size of the host's patches to a model's weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from comfy.weight_adapter import WeightAdapterBase

Patches = Mapping[str, list]
"""Weight name -> the host's patches: (strength, adapter or difference, strength of the model,
offset, function).
"""


def patch_bytes(patches: Patches) -> int:
    """Bytes of the tensors in `patches`."""
    return sum(tensor_bytes(patch[1]) for found in patches.values() for patch in found)


def tensor_bytes(part: Any) -> int:
    """Bytes of the tensors in an adapter or a difference of the host."""
    if isinstance(part, torch.Tensor):
        return part.nbytes
    parts = part.weights if isinstance(part, WeightAdapterBase) else part
    return sum(map(tensor_bytes, parts)) if isinstance(parts, tuple | list) else 0
