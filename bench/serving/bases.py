"""More checkpoints than the demo has: copies of one of them, each with another weight."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

NAMES = ("rex", "milo", "luna", "otto", "bella", "coco", "rocky", "daisy")
_SOURCE = "checkpoints/dog_realistic"
_UNET = "model.diffusion_model."


def more_bases(models: Path, number: int) -> list[str]:
    """Write so many checkpoints into the folder `models` of demo models; returns their names."""
    source = models / f"{_SOURCE}.safetensors"
    said = source.with_suffix(".personalq.yaml").read_text("utf-8")
    for place, name in enumerate(NAMES[:number], 1):
        copy = source.with_name(f"{name}.safetensors")
        shutil.copyfile(source, copy)
        with copy.open("r+b") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length))
            first = min(
                entry["data_offsets"][0]
                for tensor, entry in header.items()
                if tensor.startswith(_UNET)
            )
            file.seek(8 + length + first)
            file.write(bytes([place]))
        card = f"{said}subjects: dog\ntriggers: sks dog\nnames: [{name}]\n"
        copy.with_suffix(".personalq.yaml").write_text(card, "utf-8")
    return list(NAMES[:number])
