"""The size of the host's patches to a model's weights."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import torch
from comfy.weight_adapter import WeightAdapterBase

Patches = Mapping[str, list]
"""Weight name -> the host's patches: (strength, adapter or difference, strength of the model,
offset, function).
"""


def patch_bytes(patches: Patches, shared: Collection[int] = ()) -> int:
    """Bytes of the tensors in `patches`, without those in the storages `shared`."""
    return sum(
        tensor.nbytes
        for found in patches.values()
        for patch in found
        for tensor in _tensors(patch[1])
        if _storage(tensor) not in shared
    )


def tensor_bytes(part: Any) -> int:
    """Bytes of the tensors in an adapter or a difference of the host."""
    return sum(tensor.nbytes for tensor in _tensors(part))


def storages(tensors: Iterable[torch.Tensor]) -> frozenset[int]:
    """The storages that hold the values of `tensors`."""
    return frozenset(map(_storage, tensors))


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _tensors(part: Any) -> Iterator[torch.Tensor]:
    parts = part.weights if isinstance(part, WeightAdapterBase) else part
    if isinstance(part, torch.Tensor):
        yield part
    elif isinstance(parts, tuple | list):
        for one in parts:
            yield from _tensors(one)
