"""The finished blocks of a calibration in a folder: one safetensors file for each block, and a JSON
file that lists them, with checksums of all.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from comfy_kitchen.tensor import QuantizedTensor
from safetensors.torch import load, save_file

from ...atomic_write import write_whole, written_whole
from .reconstruct import BlockResult

LIST = "calibration.json"
_CHECKSUM = "sha256"


class Store:
    """The finished blocks of one calibration.

    A block is finished once the JSON file lists it with the checksum of its file. Each file is
    written under another name and then renamed, so an interruption never leaves a half-written
    file. A block whose file is broken is made again; where the JSON file is, all are.
    """

    def __init__(self, folder: str | Path, arguments: Mapping[str, Any]) -> None:
        """Open `folder`, and create it if it is missing.

        Raises ValueError if it holds a calibration with other arguments.
        """
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._arguments = json.loads(json.dumps(arguments))
        self._blocks: list[dict[str, Any]] = []
        path = self.folder / LIST
        if path.exists():
            held = _listed(path)
            if held is None:
                logging.warning("PersonalQ: %s is broken. All blocks are made again.", path)
                return
            self._check(held["arguments"])
            self._blocks = held["blocks"]

    @property
    def finished(self) -> tuple[BlockResult, ...]:
        """The results of the blocks that are listed, in order."""
        return tuple(
            BlockResult(
                **{name: value for name, value in block.items() if name != _CHECKSUM}
                | {"layers": tuple(block["layers"])}
            )
            for block in self._blocks
        )

    def put(self, number: int, result: BlockResult, weights: Mapping[str, QuantizedTensor]) -> None:
        """Write the weights of the next block, or of one that is made again: layer -> weight."""
        tensors = {
            key: tensor.cpu().contiguous()
            for layer, weight in weights.items()
            for key, tensor in weight.state_dict(f"{layer}.weight").items()
        }
        with written_whole(self._file(number)) as part:
            save_file(tensors, part)
            checksum = hashlib.sha256(part.read_bytes()).hexdigest()
        self._blocks[number : number + 1] = [{**asdict(result), _CHECKSUM: checksum}]
        held = {"arguments": self._arguments, "blocks": self._blocks}
        listed = {**held, _CHECKSUM: _checksum(held)}
        write_whole(self.folder / LIST, json.dumps(listed, indent=1).encode())

    def fill(self, number: int, weights: Mapping[str, QuantizedTensor]) -> bool:
        """Overwrite `weights` (layer name -> weight) with those of the finished block `number`.

        False, with `weights` as they were, if that block is not finished or its file is broken.
        """
        if number >= len(self._blocks):
            return False
        path = self._file(number)
        data = path.read_bytes() if path.exists() else b""
        if hashlib.sha256(data).hexdigest() != self._blocks[number][_CHECKSUM]:
            logging.warning("PersonalQ: %s is broken. It is made again.", path)
            return False
        tensors = load(data)
        with torch.no_grad():
            for layer, weight in weights.items():
                for key, tensor in weight.state_dict(f"{layer}.weight").items():
                    tensor.copy_(tensors[key])
        return True

    def _file(self, number: int) -> Path:
        return self.folder / f"block-{number:03d}.safetensors"

    def _check(self, held: dict[str, Any]) -> None:
        differing = [
            f"{name} is {held.get(name)!r}, not {value!r}"
            for name, value in self._arguments.items()
            if held.get(name) != value
        ]
        if differing:
            raise ValueError(
                f"{self.folder} holds a calibration with other arguments: {'; '.join(differing)}. "
                "Go on with the same arguments, or delete that folder to start anew"
            )


def _listed(path: Path) -> dict[str, Any] | None:
    """What the JSON file holds; None if its checksum differs, or it has none."""
    try:
        listed = json.loads(path.read_bytes())
        checksum = listed.pop(_CHECKSUM)
        return listed if checksum == _checksum(listed) else None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _checksum(held: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()
