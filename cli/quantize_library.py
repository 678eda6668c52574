"""`personalq quantize` over folders: every checkpoint that is not stored yet."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..checkin.index.folders import list_models
from .over_models import SOME_FAILED, over, working
from .terminal import Progress, print_failures, print_notices

_ROOM = 2
"""Memory that a task needs, as a multiple of its file's size."""


@dataclass(frozen=True)
class How:
    """How weights are quantized."""

    bits: int
    overrides: dict[str, int | None]
    linear_only: bool = False


def quantize_whole(
    checkpoint: Path,
    how: How,
    path_of: Callable[[Any], Path],
    progress: Progress | None = None,
    again: bool = True,
) -> dict[str, Any]:
    """Write the file of one checkpoint, to where `path_of` says for its metadata.

    Without `again`, a file that is there stays. Raises ValueError and OSError.
    """
    from ..taq_kernels.storage.checkpoint import unet_weights
    from ..taq_kernels.storage.files import FileMetadata, write_quantized
    from ..taq_kernels.storage.state_dict import quantize_state, weights_fingerprint

    weights, overrides = unet_weights(checkpoint), how.overrides
    if how.linear_only:
        overrides = overrides | {
            name.removesuffix(".weight"): None for name, w in weights.items() if w.ndim == 4
        }
    metadata = FileMetadata(weights_fingerprint(weights), how.bits, tuple(overrides.items()))
    path = path_of(metadata)
    made = again or not path.exists()
    if made:
        reads = {name: partial(_itself, weight) for name, weight in weights.items()}
        write_quantized(path, quantize_state(reads, how.bits, overrides, progress), metadata)
    before, after = sum(weight.numel() * 2 for weight in weights.values()), path.stat().st_size
    result = {"file": str(path), "bytes": after, "ratio": round(after / before, 4)}
    return result if again else result | {"made": made}


def quantize_library(
    options: argparse.Namespace, overrides: dict[str, int | None], folder: Path
) -> int:
    """Quantize all checkpoints of the command line; print what became of each.

    Raises ValueError for options that only go with one checkpoint.
    """
    if options.out or options.base or options.rounding != "nearest":
        raise ValueError(
            "--out, --base and --rounding are for one checkpoint: leave them out, or name one "
            "file and leave out --ray."
        )
    notices: list[str] = []
    named, found = _files(options.checkpoints, notices, folder)
    made: list[dict[str, Any]] = []
    others: list[str] = []

    def keep(path: str, result: dict[str, Any] | str) -> None:
        if isinstance(result, str):
            others.append(path)
        else:
            made.append({"checkpoint": path} | result)
            if not options.json:
                print(f"{path}: {result['file']}" + ("" if result["made"] else " (was there)"))

    how = How(options.bits, overrides, options.linear_only)
    with working(options) as each:
        failed = over(
            each,
            partial(quantize_one, how=how, folder=folder, named=frozenset(named)),
            [*named, *found],
            keep,
            "files",
            memory=memory,
        )
    if options.json:
        print(
            json.dumps(
                {"quantized": made, "left_out": others, "failed": failed, "notices": notices}
            )
        )
        return SOME_FAILED if failed else 0
    new = sum(one["made"] for one in made)
    print(
        f"{new} quantized, {len(made) - new} were there, {len(others)} files have no "
        "full-precision UNet that can be quantized."
    )
    print_notices(notices)
    print_failures(failed, "quantized")
    return SOME_FAILED if failed else 0


def quantize_one(path: str, how: How, folder: Path, named: frozenset[str]) -> dict[str, Any] | str:
    """What was written for one file; or why it has nothing to quantize, unless it is `named`."""
    from ..taq_kernels.storage.checkpoint import NoUNet
    from ..taq_kernels.storage.files import file_name

    try:
        return quantize_whole(
            Path(path), how, lambda metadata: folder / file_name(metadata), again=False
        )
    except NoUNet as error:
        if path in named:
            raise
        return str(error)


def _files(places: list[Path], notices: list[str], leave_out: Path) -> tuple[list[str], list[str]]:
    """(files that are named, files in folders). Raises ValueError for what is not there."""
    named: dict[str, None] = {}
    found: dict[str, None] = {}
    for place in (place.absolute() for place in places):
        if place.is_dir():
            listed = list_models(str(place), notices.append, {str(leave_out.absolute())})
            found |= {model.path: None for model in listed}
        elif place.is_file():
            named[str(place)] = None
        else:
            raise ValueError(f"{place} is not there: name a checkpoint or a folder of them.")
    return list(named), [path for path in found if path not in named]


def memory(path: str) -> int:
    """Bytes that quantizing a file takes; 0 for one that is gone, which its own task says."""
    return _ROOM * os.path.getsize(path) if os.path.exists(path) else 0


def _itself(weight: Any) -> Any:
    return weight
