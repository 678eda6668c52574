"""Files of quantized UNet weights: safetensors files whose header has a checksum and says what they
were made from.

Linear layers are in ComfyUI's own quantized format, so a file whose convolutions stay in full
precision also loads in ComfyUI's standard loader.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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
FORMAT = 2
"""The checksum of format 1 left the header out; only files that took hours to make are read."""
_MAX_HEADER_BYTES = 2**26
_NO_CHECKSUM = b"0" * 64
"""Reserves space for the checksum in the header until the tensors are written."""


_CHECKSUM = re.compile(rb'("sha256": ?")[^"]{64}')


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
    format: int = FORMAT


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
    said = _header(path).get("__metadata__", {}).get(_KEY)
    if said is None:
        raise QuantizedFileError(f"{path.name} was not written by PersonalQ")
    try:
        metadata = json.loads(said)
        found = FileMetadata(
            **metadata
            | {"overrides": tuple((pattern, bits) for pattern, bits in metadata["overrides"])}
        )
        if not isinstance(found.format, int):
            raise TypeError
    except (ValueError, LookupError, TypeError, RecursionError):
        raise _damaged(path) from None
    if found.format not in (1, FORMAT):
        raise QuantizedFileError(
            f"{path.name} has format {found.format}, which a newer PersonalQ wrote: update it"
        )
    return found


def read_quantized(path: Path, expected: FileMetadata) -> dict[str, Tensor]:
    """The state dict of a file, with tensors backed by the file.

    Raises QuantizedFileError if the file is damaged or its metadata is not `expected`.
    """
    metadata = read_metadata(path)
    made_in_hours = metadata.rounding != "nearest" or metadata.base
    for name, value in asdict(expected).items():
        found = getattr(metadata, name)
        if found != value and not (name == "format" and made_in_hours):
            raise QuantizedFileError(
                f"{path.name} was made for other weights or settings ({name}: {found}, not {value})"
            )
    try:
        if _checksum(path, metadata.format) != _header(path)["__metadata__"]["sha256"]:
            raise _damaged(path)
        prefix = _prefix(metadata)
        with safe_open(path, "pt") as file:
            return {name.removeprefix(prefix): file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, LookupError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> QuantizedFileError:
    return QuantizedFileError(
        f"{path.name} is damaged (its checksum differs): delete it and quantize again"
    )


def _prefix(metadata: FileMetadata) -> str:
    return "" if metadata.base else PREFIX


def _compact(tensor: Tensor) -> Tensor:
    """Convert a float32 tensor to half precision if this loses nothing."""
    if tensor.dtype == torch.float32 and tensor.ndim and torch.equal(half := tensor.half(), tensor):
        return half.contiguous()
    return tensor.contiguous()


def _header(path: Path) -> dict[str, Any]:
    """The header as it is written. Raises QuantizedFileError."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length)) if length <= _MAX_HEADER_BYTES else None
        if not isinstance(header, dict) or not isinstance(header.get("__metadata__", {}), dict):
            raise ValueError
    except OSError as error:
        raise QuantizedFileError(
            f"{path.name} cannot be read ({error.strerror}): delete it and quantize again"
        ) from error
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    return header


def _checksum(path: Path, format: int = FORMAT) -> str:
    """SHA-256, in hexadecimal, of the whole file, with zeros in the place of the checksum.

    In format 1, of the bytes of all tensors.
    """
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        length = file.read(8)
        header = file.read(int.from_bytes(length, "little"))
        if format > 1:
            hashed.update(length + _CHECKSUM.sub(rb"\g<1>" + _NO_CHECKSUM, header, count=1))
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def _write_checksum(path: Path) -> None:
    checksum = _checksum(path)
    with path.open("r+b") as file:
        start = 8 + int.from_bytes(file.read(8), "little")
        file.seek(0)
        file.seek(file.read(start).index(_NO_CHECKSUM))
        file.write(checksum.encode())
