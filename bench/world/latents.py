"""A growing store of rendered scenes and their latents.

A latent takes 2 KB, so tens of thousands fit in memory.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ...demo.world.autoencoder import Autoencoder
from ...demo.world.render import render
from ...demo.world.scene import Scene
from .pictures import random_scenes
from .train_autoencoder import as_tensor

FIRST_SEED = 100_000
"""Part k of the store is rendered from seed FIRST_SEED + k; held-out scenes have lower seeds."""


class LatentStore:
    """Scenes with their latents, in files of a folder, part by part.

    The scenes of each part come from a fixed seed.
    """

    def __init__(self, folder: Path, autoencoder: Autoencoder) -> None:
        self._folder = folder
        self._autoencoder = autoencoder
        folder.mkdir(parents=True, exist_ok=True)
        self.scenes: list[Scene] = []
        self.latents = torch.empty(0, 4, 16, 16, dtype=torch.float16)
        self._parts = 0
        while (folder / f"{self._parts}.json").exists():
            self._load()

    def grow(self, count: int) -> None:
        """Render, encode and store `count` more scenes."""
        scenes = random_scenes(count, FIRST_SEED + self._parts)
        latents = self._encode(scenes)
        (self._folder / f"{self._parts}.json").write_text(
            json.dumps([asdict(scene) for scene in scenes])
        )
        self._append(scenes, latents)

    def _load(self) -> None:
        """Load one part.

        Latents that were deleted, because the encoder changed, are computed again.
        """
        scenes = [
            Scene(**scene)
            for scene in json.loads((self._folder / f"{self._parts}.json").read_text())
        ]
        file = self._folder / f"{self._parts}.npy"
        self._append(
            scenes, torch.from_numpy(np.load(file)) if file.exists() else self._encode(scenes)
        )

    def _encode(self, scenes: list[Scene]) -> Tensor:
        latents = encode(self._autoencoder, scenes).half()
        np.save(self._folder / f"{self._parts}.npy", latents.numpy())
        return latents

    def _append(self, scenes: list[Scene], latents: Tensor) -> None:
        self.scenes += scenes
        self.latents = torch.cat([self.latents, latents])
        self._parts += 1


@torch.no_grad()
def encode(autoencoder: Autoencoder, scenes: list[Scene]) -> Tensor:
    """Return latents [n, 4, 16, 16] of the rendered scenes."""
    parts = [scenes[start : start + 16] for start in range(0, len(scenes), 16)]
    return torch.cat(
        [
            autoencoder.encode(as_tensor(np.stack([render(scene) for scene in part])))
            for part in parts
        ]
    )
