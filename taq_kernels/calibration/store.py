"""The finished blocks of a calibration in a folder: one safetensors file for each block, and a JSON
file that lists them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from comfy_kitchen.tensor import QuantizedTensor
from safetensors.torch import load_file, save_file

from ...atomic_write import write_whole, written_whole
from .reconstruct import BlockResult

LIST = "calibration.json"


class Store:
    """The finished blocks of one calibration.

    A block is finished once the JSON file lists it. Each file is written under another name and
    then renamed, so an interruption never leaves a half-written file.
    """

    def __init__(self, folder: str | Path, arguments: Mapping[str, Any]) -> None:
        """Open `folder`, and create it if it is missing.

        Raises ValueError if it holds a calibration with other arguments.
        """
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._arguments = json.loads(json.dumps(arguments))
        self.finished: list[BlockResult] = []
        path = self.folder / LIST
        if path.exists():
            held = json.loads(path.read_text(encoding="utf-8"))
            self._check(held["arguments"])
            self.finished = [
                BlockResult(**{**block, "layers": tuple(block["layers"])})
                for block in held["blocks"]
            ]

    def add(self, result: BlockResult, weights: Mapping[str, QuantizedTensor]) -> None:
        """Write the weights of the next block: layer name -> weight."""
        tensors = {
            key: tensor.cpu().contiguous()
            for layer, weight in weights.items()
            for key, tensor in weight.state_dict(f"{layer}.weight").items()
        }
        with written_whole(self._file(len(self.finished))) as part:
            save_file(tensors, part)
        self.finished.append(result)
        held = {"arguments": self._arguments, "blocks": [asdict(block) for block in self.finished]}
        write_whole(self.folder / LIST, json.dumps(held, indent=1).encode())

    def fill(self, number: int, weights: Mapping[str, QuantizedTensor]) -> None:
        """Overwrite `weights` (layer name -> weight) with those of the finished block `number`.

        Raises ValueError if the file lacks one of their tensors.
        """
        path = self._file(number)
        tensors = load_file(path)
        for layer, weight in weights.items():
            for key, tensor in weight.state_dict(f"{layer}.weight").items():
                if key not in tensors:
                    raise ValueError(
                        f"{path} lacks {key}; delete {self.folder} and calibrate again"
                    )
                with torch.no_grad():
                    tensor.copy_(tensors[key])

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
