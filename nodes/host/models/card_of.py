"""The card of a MODEL that any node loaded."""

from __future__ import annotations

import dataclasses
import os

from comfy.model_patcher import ModelPatcher

from ....checkin import Card
from ....checkin.index.read_models import card_of_file
from ....checkin.lexicon.base_models import known_family


def card_of(model: ModelPatcher) -> Card:
    """The card of the file that the model was loaded from; its base model is the host's where the
    card names none.
    """
    path = _file_of(model)
    card = (card_of_file(path) if path else None) or Card(os.path.basename(path or ""))
    if card.base_model:
        return card
    return dataclasses.replace(card, base_model=base_model_of(type(model.model.model_config)))


def base_model_of(config: type) -> str | None:
    """The id of the base model for a class of comfy.supported_models or its nearest known parent;
    None without one.
    """
    return next(filter(None, (known_family(one.__name__) for one in config.__mro__)), None)


def _file_of(model: ModelPatcher) -> str | None:
    """The file that the host would load the model from again; None where a node built the model
    otherwise.
    """
    _, arguments, *_ = model.cached_patcher_init or (None, ())
    path = next(iter(arguments), None)
    return path if isinstance(path, str) and os.path.isfile(path) else None
