"""The socket types of this pack, and the values that they carry."""

from __future__ import annotations

from dataclasses import dataclass

import comfy.samplers
from comfy_api.latest import io

from ..checkin import Card, ServingPlan
from ..checkin.catalog.given_answers import GivenAnswers
from .host.models.own_part import OwnPart

CLARIFIER = io.Custom("CLARIFIER")
SELECTION = io.Custom("SELECTION")
LORA_STACK = io.Custom("LORA_STACK")
"""Other packs have it, too (host/models/lora_stack.py)."""
SETTINGS = io.Custom("PERSONALQ_SETTINGS")
"""Carries a ServingPlan."""
# The host compares a combo's list with the type of what is connected to it: they must be equal.
SAMPLER_NAME = io.Custom(comfy.samplers.KSampler.SAMPLERS)
SCHEDULER_NAME = io.Custom(comfy.samplers.KSampler.SCHEDULERS)


@dataclass(frozen=True)
class Clarifier:
    """The user's answers, and what to do when several models still fit the request."""

    answers: GivenAnswers
    when_unsure: str


@dataclass(frozen=True)
class Selection:
    """The model that Check-in chose, and how to run it."""

    card: Card
    serving: ServingPlan
    further: tuple[Card, ...] = ()
    """LoRAs that are used together with it."""
    parts: tuple[OwnPart, ...] = ()
    """Parts of the picture, each with the LoRAs of one subject, which the model does not have."""
