"""Judge what a picture of the miniature world shows, with the demo models' judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from personalq.bench.world.classifier import LABELS
from personalq.bench.world.judge import trained_judge


def seen(picture: Path) -> dict[str, Any]:
    """`size` in pixels, and subject, colour, environment, style and identity as the judge names
    them.
    """
    with Image.open(picture) as image:
        size, pixels = image.size, np.array(image.convert("RGB").resize((128, 128)))
    classes = trained_judge().seen(torch.tensor(pixels).permute(2, 0, 1)[None] / 255)
    return {"size": size} | {name: LABELS[name][int(number)] for name, number in classes.items()}
