"""A small network that tells subject, colour, environment and style of a picture: the judge of what was drawn."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from .colours import COLOURS
from .environments import ENVIRONMENTS
from .scene import STYLES, SUBJECTS, Scene

LABELS: dict[str, tuple[str, ...]] = {
    "subject": tuple(SUBJECTS),
    "colour": tuple(COLOURS),
    "environment": tuple(ENVIRONMENTS),
    "style": STYLES,
}
FEATURES = 192


class Classifier(nn.Module):
    """Pictures [B, 3, 128, 128] in 0 to 1 -> logits [B, n] of each of LABELS."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 32, 64, 96, 128, FEATURES)
        self.body = nn.Sequential(*(_halving(a, b) for a, b in pairwise(widths)))
        self.heads = nn.ModuleDict({name: nn.Linear(FEATURES, len(values)) for name, values in LABELS.items()})

    def features(self, pictures: Tensor) -> Tensor:
        """[B, FEATURES], the layer before the heads: also the features of a Fréchet distance."""
        return self.body(pictures * 2 - 1).mean(dim=(2, 3))

    def forward(self, pictures: Tensor) -> dict[str, Tensor]:
        features = self.features(pictures)
        return {name: head(features) for name, head in self.heads.items()}

    @torch.no_grad()
    def right(self, pictures: Tensor, scenes: list[Scene]) -> dict[str, Tensor]:
        """Label name -> [n] bool: what it sees is what the scene says. Call in eval mode."""
        seen = {name: torch.cat([self(part)[name].argmax(1) for part in pictures.split(64)]) for name in LABELS}
        return {name: seen[name] == targets(scenes)[name] for name in LABELS}


def targets(scenes: list[Scene]) -> dict[str, Tensor]:
    """Label name -> [n] class numbers."""
    return {
        name: torch.tensor([values.index(getattr(scene, name)) for scene in scenes]) for name, values in LABELS.items()
    }


def _halving(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )
