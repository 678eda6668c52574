"""The calls that a calibration learns from, in a file beside its finished blocks.

Sampled anew, for example on another number of threads, they would have other bits, and a stopped
calibration would not go on with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from ....atomic_write import written_whole
from ....taq_kernels.calibration.calls import Call

_KEY = "recorded_with"


def write_calls(path: Path, calls: Sequence[Call], recorded_with: str) -> None:
    """Write calls whose arguments are tensors, completely or not at all. Raises OSError.

    `recorded_with` is what the calls depend on.
    """
    tensors = {
        f"{number} {name}": tensor.contiguous()
        for number, (args, kwargs) in enumerate(calls)
        for name, tensor in [*enumerate(args), *kwargs.items()]
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        save_file(tensors, part, {_KEY: recorded_with})


def read_calls(path: Path, recorded_with: str) -> list[Call] | None:
    """The calls in the file; None if there is none, or it was `recorded_with` other things."""
    if not path.exists():
        return None
    with safe_open(path, "pt") as file:
        if file.metadata()[_KEY] != recorded_with:
            return None
        tensors = {name: file.get_tensor(name).clone() for name in sorted(file.keys())}
    calls: dict[int, tuple[dict[int, torch.Tensor], dict[str, torch.Tensor]]] = {}
    for key, tensor in tensors.items():
        number, name = key.split()
        args, kwargs = calls.setdefault(int(number), ({}, {}))
        if name.isdigit():
            args[int(name)] = tensor
        else:
            kwargs[name] = tensor
    return [(tuple(args.values()), kwargs) for _, (args, kwargs) in sorted(calls.items())]
