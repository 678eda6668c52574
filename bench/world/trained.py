"""The base model of a training run."""

from __future__ import annotations

from pathlib import Path

from ...demo.world.sample import Pipeline
from ...demo.world.text_encoder import load_difference_, text_encoder
from ...demo.world.tokenizer import tokenizer
from ...demo.world.unet import unet
from .resume import trained_state
from .train_base import trained_autoencoder


def trained_pipeline(folder: Path) -> Pipeline:
    """Return the averaged weights of a run.

    Raises FileNotFoundError where no base has been trained.
    """
    state = trained_state(folder, "base")
    model, encoder = unet(), text_encoder()
    model.load_state_dict(state["unet_average"])
    load_difference_(encoder, state["text_average"])
    model.requires_grad_(False).eval()
    encoder.requires_grad_(False)
    return Pipeline(tokenizer(), encoder, model, trained_autoencoder(folder))
