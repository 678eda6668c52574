"""Judges of pictures, apart from the comparison with full precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from ..world.classifier import LABELS, Classifier
from .subject import Case

Metrics = dict[str, list[float]]
"""Name -> a value for each picture; the values of a share are zeros and ones."""
SHARES = (*LABELS, "trigger")
"""Metrics that are right (1) or wrong (0)."""


class Judge(Protocol):
    """Judges the pictures of one model."""

    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """Judge pictures [n, 3, H, W] in 0 to 1; `exact` are the same ones in full precision."""
        ...

    def features(self, pictures: Tensor) -> Tensor | None:
        """Return features [n, d] for a Fréchet distance; None where there is no network for it."""
        ...


@dataclass(frozen=True)
class Unjudged:
    """No judge: only the comparison with full precision."""

    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """Return no metric."""
        return {}

    def features(self, pictures: Tensor) -> Tensor | None:
        """Return None: there is no network."""
        return None


@dataclass(frozen=True)
class WorldJudge:
    """The miniature world's classifier: checks a case's labels and whether its subject is shown."""

    classifier: Classifier
    fidelity: Callable[[Tensor], Tensor] | None = None
    """Pictures [n, 3, H, W] -> bool [n]; None for a model without its own subject."""

    @torch.no_grad()
    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """As `Judge.metrics`; all `cases` must name the same labels."""
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
        """Return [n, FEATURES], the input of the classifier's heads."""
        return self.classifier.features(pictures)
