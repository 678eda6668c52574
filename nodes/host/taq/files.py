"""Quantized weights on disk, so that the next start loads a small file instead of quantizing
again.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import folder_paths
import torch

from ....taq_kernels.storage.files import (
    DIFFERENCE,
    About,
    QuantizedFileError,
    file_name,
    read_about,
    read_quantized,
    write_quantized,
)

BUDGET = 64 * 2**30
"""Bytes that the folder may hold; the files used longest ago go first."""


def folder() -> Path:
    """Where the files lie; it can be deleted at any time."""
    return Path(folder_paths.models_dir, "personalq")


def path_of(about: About) -> Path:
    """The file of these weights and settings."""
    return folder() / file_name(about)


def difference_path(about: About) -> Path:
    """Where a difference lies that can be added to a quantized base in place of these weights, if
    one was made.
    """
    return path_of(about).with_suffix(DIFFERENCE)


def read_difference(about: About) -> tuple[str, dict[str, torch.Tensor]]:
    """(fingerprint of the base, what to add to it).

    Raises QuantizedFileError when the file is no good.
    """
    base = read_about(difference_path(about)).base
    return base, read_quantized(difference_path(about), replace(about, base=base))


def kept_on_disk(
    about: About, make: Callable[[], dict[str, torch.Tensor]]
) -> dict[str, torch.Tensor]:
    """The state dict of `about` from its file; made, and kept in that file, where there is none
    that can be used.

    Raises ValueError for calibrated weights that nobody has made.
    """
    path = path_of(about)
    nearest = about.rounding == "nearest"
    if path.exists():
        try:
            state = read_quantized(path, about)
        except QuantizedFileError as error:
            if not nearest:
                raise
            logging.warning("PersonalQ: %s. It is made again.", error)
        else:
            _mark_used(path)
            return state
    if not nearest:
        raise ValueError(
            f"There are no weights of this model that were calibrated by '{about.rounding}' at "
            f"{about.bits} bits. Run TAQ Calibrate (or `personalq quantize`) on it first, or "
            "choose the rounding 'nearest'."
        )
    return keep(about, make())


def keep(about: About, state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Write `state` to its file and give it back as read from there; as it is, where the disk has
    no room.

    Where the file that is there cannot be replaced, because a model of another process has it open,
    it is read if it is good: its name says that it holds the same.
    """
    path = path_of(about)
    try:
        write_quantized(path, state, about)
    except OSError as error:
        try:
            return read_quantized(path, about)
        except QuantizedFileError:
            logging.warning(
                "PersonalQ: quantized weights could not be kept in %s (%s).", path, error
            )
            return state
    _prune()
    return read_quantized(path, about)


def _mark_used(path: Path) -> None:
    with contextlib.suppress(
        PermissionError
    ):  # a folder that may only be read; or, on Windows, a busy file
        os.utime(path)


def _prune() -> None:
    """Delete what was used longest ago beyond the budget; never what took hours to make, nor a
    difference.
    """
    files = sorted(
        folder().glob("*.safetensors"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    held = 0
    for path in files:
        held += path.stat().st_size
        if held <= BUDGET or path == files[0]:
            continue
        try:
            about = read_about(path)
        except QuantizedFileError:  # not ours to delete
            continue
        if about.rounding == "nearest" and not about.base:
            try:
                path.unlink()
            except PermissionError:  # on Windows, while a model has it open
                continue
            logging.info(
                "PersonalQ: %s was deleted, to keep %s below its size.", path.name, folder()
            )
