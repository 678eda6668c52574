"""Stores quantized weights on disk, so that the next start loads a small file instead of quantizing
again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import folder_paths
import torch

from ....checkin.lexicon.sentences import say
from ....taq_kernels.storage.files import (
    RESIDUAL_ENDING,
    FileMetadata,
    QuantizedFileError,
    file_name,
    read_metadata,
    read_quantized,
    write_quantized,
)

BUDGET = 64 * 2**30
"""The largest size of the folder in bytes; the least recently used files go first."""


def folder() -> Path:
    """The folder with the files, which can be deleted at any time."""
    return Path(folder_paths.models_dir, "personalq")


def path_of(metadata: FileMetadata) -> Path:
    """The file for these weights and settings."""
    return folder() / file_name(metadata)


def residual_path(metadata: FileMetadata) -> Path:
    """The file of the low-rank residual that replaces these weights, if one was made.

    It is added to a quantized base.
    """
    return path_of(metadata).with_suffix(RESIDUAL_ENDING)


def read_residual(metadata: FileMetadata) -> tuple[str, dict[str, torch.Tensor]]:
    """(fingerprint of the base, state dict of the residual).

    Raises QuantizedFileError if the file cannot be used.
    """
    base = read_metadata(residual_path(metadata)).base
    return base, read_quantized(residual_path(metadata), replace(metadata, base=base))


def made_last() -> int:
    """When the newest file with calibrated weights was made, in nanoseconds; 0 without any."""
    times = [0]
    for path in folder().glob("*.safetensors"):
        with contextlib.suppress(OSError, QuantizedFileError):  # deleted meanwhile; not ours
            if read_metadata(path).rounding != "nearest":
                times.append(path.stat().st_mtime_ns)
    return max(times)


def cached_on_disk(
    metadata: FileMetadata, make: Callable[[], dict[str, torch.Tensor]]
) -> dict[str, torch.Tensor]:
    """The state dict of `metadata` from its file, or from `make` if there is no usable file.

    What `make` returns is stored in the file. Raises ValueError for calibrated weights that have no
    usable file.
    """
    path = path_of(metadata)
    nearest = metadata.rounding == "nearest"
    if path.exists():
        try:
            state = read_quantized(path, metadata)
        except QuantizedFileError as error:
            if not nearest:
                raise
            logging.warning("PersonalQ: %s. It is made again.", error)
        else:
            _mark_used(path)
            return state
    if not nearest:
        raise ValueError(
            say(
                "There are no weights of this model that were calibrated by '{rounding}' at {bits} "
                "bits. Run TAQ Calibrate (or `personalq quantize`) on it first, or choose the "
                "rounding 'nearest'.",
                rounding=metadata.rounding,
                bits=metadata.bits,
            )
        )
    return store(metadata, make())


def store(metadata: FileMetadata, state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Write `state` to its file, and return it as read from there.

    If it cannot be written, for example because the disk is full, returns `state` itself. If a file
    exists and cannot be replaced, because a model in another process has it open, that file is read
    if it is usable: its name shows that it has the same weights.
    """
    path = path_of(metadata)
    try:
        write_quantized(path, state, metadata)
    except OSError as error:
        try:
            return read_quantized(path, metadata)
        except QuantizedFileError:
            logging.warning(
                "PersonalQ: quantized weights could not be kept in %s (%s).", path, error
            )
            return state
    _prune()
    return read_quantized(path, metadata)


def _mark_used(path: Path) -> None:
    """Note the time of this use; that of making the file stays."""
    with contextlib.suppress(OSError):  # the folder is read-only or, on Windows, the file is in use
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def _prune() -> None:
    """Delete the least recently used files beyond the budget.

    Calibrated weights, which took hours to make, and low-rank residuals are never deleted.
    """
    sizes = {}
    for path in folder().glob("*.safetensors"):
        with contextlib.suppress(OSError):  # deleted meanwhile
            sizes[path] = (path.stat().st_atime, path.stat().st_size)
    held = 0
    for number, path in enumerate(sorted(sizes, key=lambda path: -sizes[path][0])):
        held += sizes[path][1]
        if held <= BUDGET or number == 0:
            continue
        try:
            metadata = read_metadata(path)
        except QuantizedFileError:  # not ours to delete
            continue
        if metadata.rounding == "nearest" and not metadata.base:
            try:
                path.unlink()
            except OSError:  # on Windows, if a model has it open
                continue
            logging.info(
                "PersonalQ: %s was deleted, to keep %s below its size.", path.name, folder()
            )
