"""The trained judge: what a picture shows, and which identity."""

from __future__ import annotations

from functools import cache

from torch import Tensor

from ...demo.world.library import Personalised, read
from .classifier import LABELS, Classifier


@cache
def trained_judge() -> Classifier:
    """Return the classifier in float32, for inference only. Do not change it: callers share it."""
    model = Classifier()
    model.load_state_dict(read("judge"))
    return model.requires_grad_(False).eval()


def shows_identity(pictures: Tensor, model: Personalised) -> Tensor:
    """Return bool [n]: whether pictures [n, 3, 128, 128] show the model's own subject or style.

    A picture that shows only the class does not count.
    """
    return trained_judge().seen(pictures)["identity"] == LABELS["identity"].index(model.identity)
