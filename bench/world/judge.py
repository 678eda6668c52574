"""The trained judge: whether a picture shows what was asked for, and which identity."""

from __future__ import annotations

from functools import cache

from torch import Tensor

from ...demo.world.library import Personalised, read
from .classifier import LABELS, Classifier


@cache
def trained_judge() -> Classifier:
    """The classifier, float32, for inference only. Do not change it: callers share it."""
    model = Classifier()
    model.load_state_dict(read("judge"))
    return model.requires_grad_(False).eval()


def shows_identity(pictures: Tensor, model: Personalised) -> Tensor:
    """[n] bool: the judge sees the model's own subject or style in pictures [n, 3, 128, 128], not
    merely its class.
    """
    return trained_judge().seen(pictures)["identity"] == LABELS["identity"].index(model.identity)
