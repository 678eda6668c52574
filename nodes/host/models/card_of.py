"""The card of a MODEL, whichever node loaded it."""

from __future__ import annotations

import dataclasses
import os

from comfy.model_patcher import ModelPatcher

from ....checkin import Card
from ....checkin.index.read_models import card_of_file
from ....checkin.lexicon.base_models import known_family


def card_of(model: ModelPatcher) -> Card:
    """The card of the file that the model was loaded from.

    If the card names no base model, it gets the one that the host recognised.
    """
    path = _file_of(model)
    card = (card_of_file(path) if path else None) or Card(os.path.basename(path or ""))
    if card.base_model:
        return card
    return dataclasses.replace(card, base_model=base_model_of(type(model.model.model_config)))


def base_model_of(config: type) -> str | None:
    """The id of the base model for a class of comfy.supported_models.

    It is that of the class or its nearest known parent; None if there is none.
    """
    return next(filter(None, (known_family(one.__name__) for one in config.__mro__)), None)


def _file_of(model: ModelPatcher) -> str | None:
    """The file from which the host would load the model again, or from which it was quantized.

    None if it was made otherwise.
    """
    loaded_by = model.cached_patcher_init or getattr(model, "loaded_by", None)
    _, arguments, *_ = loaded_by or (None, ())
    path = next(iter(arguments), None)
    return path if isinstance(path, str) and os.path.isfile(path) else None
