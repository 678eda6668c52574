"""Real pictures from a user's folder, to compare drawn ones with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
_BATCH = 8


def pictures_in(folder: Path) -> list[Path]:
    """Return the pictures of a folder and its subfolders, by name.

    Raises ValueError for fewer than two: no distance could be measured.
    """
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    if len(found) < 2:
        raise ValueError(
            f"{folder} holds {len(found)} pictures ({', '.join(SUFFIXES)}); give a folder with at "
            "least two, and for a FID like published ones with thousands"
        )
    return found


def batches(files: Sequence[Path], side: int) -> Iterator[Tensor]:
    """Read pictures [n, 3, side, side] in 0 to 1, a few at a time.

    The largest square in the middle is scaled to `side`.
    """
    for start in range(0, len(files), _BATCH):
        yield torch.stack([_read(file, side) for file in files[start : start + _BATCH]])


def _read(file: Path, side: int) -> Tensor:
    with Image.open(file) as opened:
        square = ImageOps.fit(opened.convert("RGB"), (side, side), Image.Resampling.BICUBIC)
    return torch.from_numpy(np.array(square)).movedim(-1, 0).float() / 255
