"""What judges pictures, apart from the comparison with full precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from ..world.classifier import LABELS, Classifier
from .subject import Case

Metrics = dict[str, list[float]]
"""Name -> a value for each picture; a share is made of zeros and ones."""
SHARES = (*LABELS, "trigger")
"""Metrics that are right (1) or wrong (0)."""


class Judge(Protocol):
    """Judges the pictures of one model."""

    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """Of pictures [n, 3, H, W] in 0 to 1, `exact` being the same ones in full precision."""
        ...

    def features(self, pictures: Tensor) -> Tensor | None:
        """[n, d] for a Fréchet distance; None where there is no network for it."""
        ...


@dataclass(frozen=True)
class Unjudged:
    """Nothing but the comparison with full precision."""

    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """No metric."""
        return {}

    def features(self, pictures: Tensor) -> Tensor | None:
        """None: there is no network."""
        return None


@dataclass(frozen=True)
class WorldJudge:
    """The classifier of the miniature world: a case's labels, and whether its subject is shown."""

    classifier: Classifier
    fidelity: Callable[[Tensor], Tensor] | None = None
    """Pictures [n, 3, H, W] -> bool [n]; None for a model without a subject of its own."""

    @torch.no_grad()
    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """All `cases` name the same labels."""
        seen = self.classifier(pictures)
        found = {
            label: [
                float(LABELS[label][n] == case.shows[label])
                for n, case in zip(seen[label].argmax(1), cases, strict=True)
            ]
            for label in cases[0].shows
        }
        if self.fidelity:
            found["trigger"] = self.fidelity(pictures).float().tolist()
        return found

    @torch.no_grad()
    def features(self, pictures: Tensor) -> Tensor:
        """[n, FEATURES], the classifier's layer before its heads."""
        return self.classifier.features(pictures)
