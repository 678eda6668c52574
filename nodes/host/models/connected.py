"""The model that is connected to Repo Check-in, with the chosen LoRAs applied by the host."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import comfy.lora
import comfy.lora_convert
import comfy.sd
import numpy as np
from comfy.model_patcher import ModelPatcher

from ....checkin import Card, Repository
from ....checkin.catalog.connected import ConnectedModel
from ....checkin.lexicon.base_models import label_of
from ....checkin.lexicon.sentences import listed, say
from ....checkin.readers.header import UnreadableFile, read_header
from .card_of import base_model_of, card_of
from .load import lora_weights
from .lora_fit import is_of_text, keep_fitting, layers_of

_OF_THEIR_OWN = ("SDXLRefiner", "SD_X4Upscaler")
"""Classes of the host that share neither layers nor LoRAs with the family in their name."""
_WIDER = {"wan21": "wan", "wan22": "wan"}
"""The host loads all builds of these as one class."""


class Connected(NamedTuple):
    """What is connected to Repo Check-in."""

    model: ModelPatcher
    clip: comfy.sd.CLIP | None
    vae: comfy.sd.VAE | None

    @classmethod
    def of(cls, model: Any, clip: Any, vae: Any) -> Connected | None:
        """What is connected; None for nothing. Raises ValueError if only `model` is missing."""
        if model is not None:
            return cls(model, clip, vae)
        others = [f"`{name}`" for name, one in (("clip", clip), ("vae", vae)) if one is not None]
        if others:
            raise ValueError(
                say(
                    "Connected: {inputs}, but no `model`. Connect the model too, and a LoRA is "
                    "applied to it; or disconnect the others, and a whole checkpoint is loaded.",
                    inputs=listed(others, "and"),
                )
            )
        return None


def connected_model(model: ModelPatcher, repository: Repository) -> ConnectedModel:
    """What Check-in has to know of the connected model, to choose a LoRA of `repository`."""
    base = _base_model(model.model)
    known = hasattr(model.model, "model_config")
    fitting = frozenset() if base else _fitting(model.model, repository)
    return ConnectedModel(card_of(model) if known else Card(""), base, fitting)


def apply(
    connected: Connected, about: ConnectedModel, cards: Sequence[Card]
) -> tuple[Connected, list[str]]:
    """The connected model and text encoder with LoRAs on top of the patches that they have.

    Returned with notices on LoRAs that fit only in part. The pool stores the files of the LoRAs
    alone. Raises ValueError for a LoRA that fits no layer of the model, and FileNotFoundError for a
    file that is gone.
    """
    notices = []
    for card in cards:
        connected, said = _applied(connected, about, card)
        notices += said
    return connected, notices


def _applied(
    connected: Connected, about: ConnectedModel, card: Card
) -> tuple[Connected, list[str]]:
    weights = comfy.lora_convert.convert_lora(lora_weights(card))
    model, clip = comfy.sd.load_lora_for_models(
        connected.model, connected.clip, weights, card.strength, card.strength
    )
    fitting = keep_fitting(model, connected.model.patches)
    layers = layers_of(weights)
    of_text = {one for one in layers if is_of_text(one)}
    if layers == of_text and clip is None:
        raise ValueError(
            say(
                "The LoRA '{name}' changes only the text encoder: connect `clip` too.",
                name=card.name,
            )
        )
    if not fitting and layers != of_text:
        raise ValueError(_fits_nowhere(card, about))
    if connected.clip:
        fitting += keep_fitting(clip.patcher, connected.clip.patcher.patches)
    else:
        layers -= of_text
    if not fitting:
        raise ValueError(_fits_nowhere(card, about))
    said = [] if fitting >= len(layers) else [_fits_in_part(card, about, fitting, len(layers))]
    return Connected(model, clip, connected.vae), said


def _fits_nowhere(card: Card, about: ConnectedModel) -> str:
    other = card.base_model if card.base_model and not about.takes(card.base_model) else None
    return say(
        "The LoRA '{name}' fits no layer of {model}: it was made for {base}. Disconnect `model` to "
        "load the LoRA on its own base checkpoint, or connect a model that it was made for.",
        name=card.name,
        model=_named(about),
        base=label_of(other) if other else say("another model"),
    )


def _fits_in_part(card: Card, about: ConnectedModel, fitting: int, layers: int) -> str:
    return say(
        "The LoRA '{name}' fits {model} only in part: {fitting} of its {layers} layers are "
        "applied.",
        name=card.name,
        model=_named(about),
        fitting=fitting,
        layers=layers,
    )


def _named(about: ConnectedModel) -> str:
    return f"{about.name} ({about.card.name})" if about.card.name else about.name


def _base_model(model: Any) -> str | None:
    """The base model by the host's classes of the model and its configuration."""
    kinds = [type(getattr(model, "model_config", None)), type(model)]
    if any(one.__name__ in _OF_THEIR_OWN for one in kinds):
        return None
    found = next(filter(None, map(base_model_of, kinds)), None)
    return _WIDER.get(found, found) if found else None


def _fitting(model: Any, repository: Repository) -> frozenset[str]:
    """The base models whose LoRAs fit a model that is of none: one LoRA of each is looked into."""
    columns = repository.catalogue().columns
    first: dict[str, int] = {}
    for position in np.flatnonzero(columns.kind.where(lambda kind: kind == "lora")).tolist():
        if base := columns.base_model[position]:
            first.setdefault(base, position)
    names = comfy.lora.model_lora_keys_unet(model, {}).keys()
    return frozenset(
        base
        for base, position in first.items()
        if layers_of(_tensor_names(repository.cards[position])) & names
    )


def _tensor_names(card: Card) -> Sequence[str]:
    try:
        return list(read_header(Path(str(card.path))).shapes)
    except (UnreadableFile, OSError):  # another program's format, or gone since it was indexed
        return []
