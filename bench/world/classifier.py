"""The judge: a small network that recognises what a picture shows.

It also says whether the subject or the style is a personal one.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from ...demo.world.colours import COLOURS
from ...demo.world.environments import ENVIRONMENTS
from ...demo.world.identities import IDENTITIES
from ...demo.world.scene import STYLES, SUBJECTS, Scene

LABELS: dict[str, tuple[str, ...]] = {
    "subject": tuple(SUBJECTS),
    "colour": tuple(COLOURS),
    "environment": tuple(ENVIRONMENTS),
    "style": STYLES,
    "identity": ("none", *IDENTITIES),
}
UNKNOWN = -100
"""The class number of an unknown label; PyTorch's cross entropy ignores it."""
FEATURES = 192


class Classifier(nn.Module):
    """Pictures [B, 3, 128, 128] in 0 to 1 -> logits [B, n] for each of LABELS."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 32, 64, 96, 128, FEATURES)
        self.body = nn.Sequential(*(_halving(a, b) for a, b in pairwise(widths)))
        self.heads = nn.ModuleDict(
            {name: nn.Linear(FEATURES, len(values)) for name, values in LABELS.items()}
        )

    def features(self, pictures: Tensor) -> Tensor:
        """Return [B, FEATURES], the input of the heads; a Fréchet distance uses them too."""
        return self.body(pictures * 2 - 1).mean(dim=(2, 3))

    def forward(self, pictures: Tensor) -> dict[str, Tensor]:
        """Map label name to logits [B, n] of pictures [B, 3, 128, 128] in 0 to 1."""
        features = self.features(pictures)
        return {name: head(features) for name, head in self.heads.items()}

    @torch.no_grad()
    def seen(self, pictures: Tensor) -> dict[str, Tensor]:
        """Map label name to class numbers [n] of pictures [n, 3, 128, 128]. Call in eval mode."""
        parts = [self(part) for part in pictures.split(64)]
        return {name: torch.cat([part[name].argmax(1) for part in parts]) for name in LABELS}

    def right(self, pictures: Tensor, scenes: list[Scene]) -> dict[str, Tensor]:
        """Map label name to bool [n]: whether the judge sees what the scene says.

        Call in eval mode.
        """
        seen, wanted = self.seen(pictures), targets(scenes)
        return {name: seen[name] == wanted[name] for name in LABELS}


def targets(scenes: list[Scene]) -> dict[str, Tensor]:
    """Map label name to class numbers [n].

    UNKNOWN for a personal style, and for the colour of a personal subject or style.
    """
    return {name: torch.tensor([_class(name, scene) for scene in scenes]) for name in LABELS}


def _class(label: str, scene: Scene) -> int:
    said = scene.identity or "none" if label == "identity" else getattr(scene, label)
    if label == "colour" and scene.identity:
        return UNKNOWN
    return LABELS[label].index(said) if said in LABELS[label] else UNKNOWN


def _halving(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )
