"""What pictures are judged by, beside the comparison with full precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from ..world.classifier import LABELS, Classifier
from .subject import Case

Figures = dict[str, list[float]]
"""Name -> a figure for each picture; a share is made of zeros and ones."""
SHARES = (*LABELS, "trigger")
"""Figures that are right (1) or wrong (0)."""


class Judge(Protocol):
    """Judges the pictures of one model."""

    def figures(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Figures:
        """Of pictures [n, 3, H, W] in 0 to 1, `exact` being the same ones in full precision."""
        ...

    def features(self, pictures: Tensor) -> Tensor | None:
        """[n, d] for a Fréchet distance; None where there is no network for it."""
        ...


@dataclass(frozen=True)
class Unjudged:
    """Nothing but the comparison with full precision."""

    def figures(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Figures:
        return {}

    def features(self, pictures: Tensor) -> Tensor | None:
        return None


@dataclass(frozen=True)
class WorldJudge:
    """The classifier of the miniature world: each of a case's labels, and whether the subject
    itself is shown.
    """

    classifier: Classifier
    fidelity: Callable[[Tensor], Tensor] | None = None
    """Pictures [n, 3, H, W] -> bool [n]; None for a model without a subject of its own."""

    @torch.no_grad()
    def figures(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Figures:
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
        return self.classifier.features(pictures)
