"""Files of quantized UNet weights: safetensors, with what they were made from and a checksum in the
header.

Linear layers are in ComfyUI's own quantized format: a file whose convolutions stay in full
precision loads in its stock loader.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from ...atomic_write import written_whole

PREFIX = "model.diffusion_model."
"""Of the names in a file; those of a low-rank residual are a LoRA's."""
RESIDUAL_ENDING = ".difference.safetensors"
"""Ending of a low-rank residual's file."""
_KEY = "personalq"
_CHUNK = 2**24
_NO_CHECKSUM = b"0" * 64
"""Keeps the place of the checksum in the header until the tensors are written."""


class QuantizedFileError(ValueError):
    """A file of quantized weights that cannot be used, and why."""


@dataclass(frozen=True)
class FileMetadata:
    """What a file was made from and how."""

    weights: str
    """`state_dict.fingerprint` of the full-precision weights."""
    bits: int
    overrides: tuple[tuple[str, int | None], ...] = ()
    """Layers with bits of their own, in the order in which they count."""
    rounding: str = "nearest"
    base: str = ""
    """Of a low-rank residual: the fingerprint of its base."""
    format: int = 1


def file_name(metadata: FileMetadata) -> str:
    """The name of the file of these weights and settings, where programs look for it."""
    settings = f"{metadata.bits}{metadata.overrides}{metadata.rounding}"
    digest = hashlib.sha256(settings.encode()).hexdigest()
    return f"{metadata.weights[:24]}-w{metadata.bits}-{digest[:8]}.safetensors"


def write_quantized(path: Path, state: dict[str, Tensor], metadata: FileMetadata) -> None:
    """Save `state` (of `quantize_state`, or of a `LowRankResidual`), complete or not at all.

    Raises OSError.
    """
    tensors = {_prefix(metadata) + name: _compact(tensor) for name, tensor in state.items()}
    try:
        with written_whole(path) as part:
            save_file(
                tensors, part, {_KEY: json.dumps(asdict(metadata)), "sha256": _NO_CHECKSUM.decode()}
            )
            _write_checksum(part)
    except SafetensorError as error:  # what safetensors raises where the disk is full
        raise OSError(str(error)) from error


def read_metadata(path: Path) -> FileMetadata:
    """What the file says of itself. Raises QuantizedFileError."""
    try:
        with safe_open(path, "pt") as file:
            said = (file.metadata() or {}).get(_KEY)
    except (SafetensorError, OSError) as error:
        raise QuantizedFileError(
            f"{path.name} cannot be read ({error}): delete it and quantize again"
        ) from error
    if said is None:
        raise QuantizedFileError(f"{path.name} was not written by PersonalQ")
    metadata = json.loads(said)
    if metadata["format"] != 1:
        raise QuantizedFileError(
            f"{path.name} has format {metadata['format']}, which a newer PersonalQ wrote: update it"
        )
    return FileMetadata(
        **metadata
        | {"overrides": tuple((pattern, bits) for pattern, bits in metadata["overrides"])}
    )


def read_quantized(path: Path, expected: FileMetadata) -> dict[str, Tensor]:
    """The state dict of a file, its tensors backed by the file.

    Raises QuantizedFileError when it is damaged or was not made as `expected`.
    """
    metadata = read_metadata(path)
    for name, value in asdict(expected).items():
        if (found := getattr(metadata, name)) != value:
            raise QuantizedFileError(
                f"{path.name} was made for other weights or settings ({name}: {found}, not {value})"
            )
    if _checksum(path) != _said_checksum(path):
        raise QuantizedFileError(
            f"{path.name} is damaged (its checksum differs): delete it and quantize again"
        )
    with safe_open(path, "pt") as file:
        return {name.removeprefix(_prefix(metadata)): file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def _prefix(metadata: FileMetadata) -> str:
    return "" if metadata.base else PREFIX


def _compact(tensor: Tensor) -> Tensor:
    """In half precision, where float32 holds nothing more."""
    if tensor.dtype == torch.float32 and tensor.ndim and torch.equal(half := tensor.half(), tensor):
        return half.contiguous()
    return tensor.contiguous()


def _said_checksum(path: Path) -> str:
    with safe_open(path, "pt") as file:
        return file.metadata()["sha256"]


def _data_start(file) -> int:
    file.seek(0)
    return 8 + int.from_bytes(file.read(8), "little")


def _checksum(path: Path) -> str:
    """SHA-256 of all tensors' bytes."""
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(_data_start(file))
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def _write_checksum(path: Path) -> None:
    checksum = _checksum(path)
    with path.open("r+b") as file:
        start = _data_start(file)
        file.seek(0)
        file.seek(file.read(start).index(_NO_CHECKSUM))
        file.write(checksum.encode())
