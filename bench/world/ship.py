"""Pack a run's trained models into the package, as small as they can be while drawing the same.

usage: python -m personalq.bench.world.ship RUN_FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor

from ...demo.catalogue import MODELS
from ...demo.world.compact import BITS, pack
from ...demo.world.library import FOLDER, file_stem
from ...demo.world.low_rank_difference import factors
from ...demo.world.text_encoder import difference
from .personalise import state_file
from .train_classifier import trained_classifier
from .trained import trained_pipeline

_FINE, _COARSE = 8, 6
"""Bits of the text encoder, autoencoder and judge, and of personalised models.

The first are small and affect every picture.
"""


def ship(run: Path, folder: Path = FOLDER) -> int:
    """Write all trained models that a run has so far; return the bytes of all files."""
    folder.mkdir(exist_ok=True)
    pipeline = trained_pipeline(run)
    text = {name: value.detach() for name, value in difference(pipeline.encoder).items()}
    _write(folder, "base_unet", pipeline.unet.state_dict(), BITS)
    _write(folder, "base_text", text, _FINE)
    _write(folder, "autoencoder", pipeline.autoencoder.state_dict(), _FINE)
    _write(folder, "judge", trained_classifier(run).state_dict(), _FINE)
    for model in MODELS:
        if state_file(run, model).exists():
            trained = torch.load(state_file(run, model), map_location="cpu", weights_only=True)
            _write(folder, file_stem(model), factors(trained), _COARSE)
    return sum(file.stat().st_size for file in folder.iterdir())


def _write(folder: Path, name: str, tensors: dict[str, Tensor], bits: int) -> None:
    (folder / f"{name}.xz").write_bytes(pack(tensors, bits))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    print(f"{ship(parser.parse_args().folder) / 1e6:.1f} MB in {FOLDER}")
