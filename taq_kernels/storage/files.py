"""Files of quantized UNet weights: safetensors files whose header has a checksum and says what they
were made from.

Linear layers are in ComfyUI's own quantized format, so a file whose convolutions stay in full
precision also loads in ComfyUI's standard loader.
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
"""Prefix of the names in a file; a low-rank residual has the names of a LoRA instead."""
RESIDUAL_ENDING = ".difference.safetensors"
"""End of the file name of a low-rank residual."""
_KEY = "personalq"
_CHUNK = 2**24
_NO_CHECKSUM = b"0" * 64
"""Reserves space for the checksum in the header until the tensors are written."""


class QuantizedFileError(ValueError):
    """A file of quantized weights cannot be used; the message says why."""


@dataclass(frozen=True)
class FileMetadata:
    """What a file was made from, and how."""

    weights: str
    """`state_dict.weights_fingerprint` of the full-precision weights."""
    bits: int
    overrides: tuple[tuple[str, int | None], ...] = ()
    """(pattern of layer names, bits), in the order in which they are matched."""
    rounding: str = "nearest"
    base: str = ""
    """For a low-rank residual: the fingerprint of its base."""
    format: int = 1


def file_name(metadata: FileMetadata) -> str:
    """The name under which the file for these weights and settings is stored and looked up."""
    settings = f"{metadata.bits}{metadata.overrides}{metadata.rounding}"
    digest = hashlib.sha256(settings.encode()).hexdigest()
    return f"{metadata.weights[:24]}-w{metadata.bits}-{digest[:8]}.safetensors"


def write_quantized(path: Path, state: dict[str, Tensor], metadata: FileMetadata) -> None:
    """Save `state` (from `quantize_state` or a `LowRankResidual`), completely or not at all.

    Raises OSError.
    """
    tensors = {_prefix(metadata) + name: _compact(tensor) for name, tensor in state.items()}
    try:
        with written_whole(path) as part:
            save_file(
                tensors, part, {_KEY: json.dumps(asdict(metadata)), "sha256": _NO_CHECKSUM.decode()}
            )
            _write_checksum(part)
    except SafetensorError as error:  # safetensors raises it if the disk is full
        raise OSError(str(error)) from error


def read_metadata(path: Path) -> FileMetadata:
    """The metadata in the file's header. Raises QuantizedFileError."""
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
    """The state dict of a file, with tensors backed by the file.

    Raises QuantizedFileError if the file is damaged or its metadata is not `expected`.
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
    """Convert a float32 tensor to half precision if this loses nothing."""
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
    """SHA-256, in hexadecimal, of the bytes of all tensors."""
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
