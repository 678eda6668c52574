"""Measure how often a sample shows what its caption says; the classifier judges.

usage: python -m personalq.bench.world.measure_steering RUN_FOLDER [--count N] [--guidance G]

Writes steering.json and a sheet of the samples, steering.png, into the run's folder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from ...demo.catalogue import GUIDANCE
from ...demo.world.caption import caption
from ...demo.world.sample import Pipeline
from ..wilson import wilson
from .classifier import Classifier
from .pictures import random_scenes
from .train_classifier import trained_classifier
from .trained import trained_pipeline

SEED, _BATCH = 9003, 16
_Z = 1.96
Share = list[float]
"""A share, and the lower and upper end of its 95 % interval."""


def measure(folder: Path, count: int, guidance: float, steps: int) -> dict[str, object]:
    """Return the right shares with 95 % Wilson intervals, and write them and the sheet.

    The scenes are random; no training picture was made from them.
    """
    shares, pictures = steering(
        trained_pipeline(folder), trained_classifier(folder), count, steps, guidance
    )
    sheet(pictures).save(folder / "steering.png")
    result: dict[str, object] = {"samples": count, "guidance": guidance, **shares}
    (folder / "steering.json").write_text(json.dumps(result, indent=2) + "\n")
    return result


def steering(
    pipeline: Pipeline, judge: Classifier, count: int, steps: int, guidance: float
) -> tuple[dict[str, Share], Tensor]:
    """Return label name -> right share, and the pictures [count, 3, 128, 128]."""
    scenes, rng = random_scenes(count, SEED), np.random.default_rng(SEED)
    pictures = drawn_pictures(
        pipeline, [caption(scene, rng) for scene in scenes], SEED, steps, guidance
    )
    right = judge.right(pictures, scenes)
    return {
        name: share_with_interval(int(hits.sum()), count) for name, hits in right.items()
    }, pictures


def drawn_pictures(
    pipeline: Pipeline, captions: list[str], seed: int, steps: int, guidance: float
) -> Tensor:
    """Draw pictures [n, 3, 128, 128], a few at a time."""
    parts = range(0, len(captions), _BATCH)
    return torch.cat(
        [pipeline.draw(captions[i : i + _BATCH], seed + i, steps, guidance) for i in parts]
    )


def share_with_interval(hits: int, count: int) -> Share:
    """Return [share, lower, upper] with Wilson's 95 % interval (1927), to three decimals."""
    return [round(value, 3) for value in (hits / count, *wilson(hits, count, _Z))]


def sheet(pictures: Tensor, columns: int = 8) -> Image.Image:
    """Arrange pictures [n, 3, H, W] in rows of `columns`, without an incomplete last row."""
    rows = [
        torch.cat(list(row), dim=2)
        for row in pictures[: len(pictures) // columns * columns].split(columns)
    ]
    pixels = (torch.cat(rows, dim=1).permute(1, 2, 0) * 255).round().byte().numpy()
    return Image.fromarray(pixels)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=96)
    parser.add_argument("--guidance", type=float, default=GUIDANCE)
    parser.add_argument("--steps", type=int, default=20)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    found = measure(arguments.folder, arguments.count, arguments.guidance, arguments.steps)
    print(json.dumps(found))
