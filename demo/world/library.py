"""The trained models in this package: the world's base and its personalised models."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from torch import Tensor

from ..catalogue import MODELS, DemoModel
from .autoencoder import Autoencoder
from .compact import unpack
from .identities import IDENTITIES
from .low_rank_difference import add_
from .sample import Pipeline
from .text_encoder import load_difference_, text_encoder
from .tokenizer import tokenizer
from .unet import unet

FOLDER = Path(__file__).parent / "models"


@dataclass(frozen=True)
class Personalised:
    """A personalised model; `noun` is its class word, None for a style."""

    name: str
    trigger: str
    noun: str | None
    kind: Literal["lora", "dreambooth"]
    identity: str


def models() -> list[Personalised]:
    """Return all personalised models, in the catalogue's order."""
    return [
        Personalised(
            name=file_stem(model),
            trigger=model.trigger,
            noun=IDENTITIES[model.identity].noun,
            kind="lora" if model.is_lora else "dreambooth",
            identity=model.identity,
        )
        for model in MODELS
    ]


def file_stem(model: DemoModel) -> str:
    """Return the model's path with its folders, as one word."""
    return model.path.removesuffix(".safetensors").replace("/", "__")


@cache
def base() -> Pipeline:
    """Return the base in float32, for inference only. Do not change it: callers share it."""
    encoder, whole, autoencoder = text_encoder(), unet(), Autoencoder()
    whole.load_state_dict(read("base_unet"))
    load_difference_(encoder, read("base_text"))
    autoencoder.load_state_dict(read("autoencoder"))
    for part in (encoder, whole, autoencoder):
        part.requires_grad_(False).eval()
    return Pipeline(tokenizer(), encoder, whole, autoencoder)


def pipeline(model: Personalised | None) -> Pipeline:
    """Return the base with the model's personal weights; the base itself for None.

    Only the UNet is a copy; the other parts are shared.
    """
    shared = base()
    own = copy.deepcopy(shared.unet)
    if model is not None:
        add_(own, personal_weights(model.name))
    return Pipeline(shared.tokenizer, shared.encoder, own, shared.autoencoder)


def personal_weights(name: str) -> dict[str, Tensor]:
    """Return the low-rank difference of the model with this name."""
    return read(name)


def read(name: str) -> dict[str, Tensor]:
    """Return the weights in `models/<name>.xz`.

    Raises FileNotFoundError, with the next step, where there is no such file.
    """
    file = FOLDER / f"{name}.xz"
    if not file.exists():
        raise FileNotFoundError(
            f"{file.name} is not in this package; bench/world/README.md says how to train and "
            "pack it."
        )
    return unpack(file.read_bytes())
