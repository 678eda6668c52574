"""Reads the UNet's weights from a checkpoint file."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from .files import PREFIX
from .state_dict import refuse_quantized


class NoUNet(ValueError):
    """The file can be read, and has no full-precision UNet with text cross-attention."""


def unet_weights(path: Path) -> dict[str, Tensor]:
    """Name in the UNet -> weight, backed by the file.

    The file is a whole checkpoint or only a UNet, in the LDM layout. Raises ValueError for a file
    that is not a safetensors file, and NoUNet for one without a full-precision UNet with text
    cross-attention.
    """
    if path.suffix.casefold() not in (".safetensors", ".sft"):
        raise ValueError(f"{path.name}: only safetensors files are read; convert it first")
    try:
        with safe_open(path, "pt") as file:
            names = list(file.keys())
            prefix = PREFIX if any(name.startswith(PREFIX) for name in names) else ""
            weights = {
                name.removeprefix(prefix): file.get_tensor(name)
                for name in names
                if name.startswith(prefix)
            }
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from error
    try:
        refuse_quantized(weights)
    except ValueError as error:
        raise NoUNet(f"{path.name}: {error}") from error
    return weights
