"""The picture size, steps and guidance that suit a model.

They come from its card, else they are the usual values of its base model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from ..catalog.cards import Card
from ..lexicon.base_models import BASE_MODELS, covers, label_of

Stage = Literal["preview", "final"]

_STEPS = {"preview": 12, "final": 25}
FEW_STEPS = re.compile(
    r"turbo|lightning|(?<![a-z])lcm(?![a-z])|dmd2|hyper[-_ ]?sd|schnell", re.IGNORECASE
)
"""Marks in the name of a model that was distilled for few steps without guidance, also a LoRA."""
_STEPS_OF_FAST_MODELS, _NO_GUIDANCE = 4, 1.0
_OTHERS = (1024, 7.0)
"""Side in pixels and guidance of a base model for which the table has none."""


@dataclass(frozen=True)
class Sampling:
    """Settings of an empty latent and a sampler."""

    width: int
    height: int
    """Pixels."""
    steps: int
    cfg: float
    made_for: str
    """Where they come from: "SD 1.5, the card of demo_base"."""


def sampling(card: Card | None, base: Card | None, stage: Stage) -> Sampling:
    """The settings that suit `card`.

    `base` is the checkpoint that a LoRA is loaded on: its card is used where the LoRA's has no
    value.
    """
    cards = [one for one in (card, base) if one]

    def said(name: str) -> Any:
        return next((value for one in cards if (value := getattr(one, name)) is not None), None)

    family = next((one.base_model for one in reversed(cards) if one.base_model), None)
    usual = ((one.id, one.sampled_at) for one in BASE_MODELS if one.sampled_at)
    side, cfg = next((at for name, at in usual if covers(name, family)), _OTHERS)
    steps = _STEPS[stage]
    reasons = [label_of(family) if family else "unknown base model"]
    if few := bool(FEW_STEPS.search(_checkpoint_name(cards))):
        steps, cfg = _STEPS_OF_FAST_MODELS, _NO_GUIDANCE
        reasons.append("made for few steps")
    if (own := said("steps")) is not None:
        steps = own if stage == "final" or few else min(own, steps)
    width, height = map(int, (said("resolution") or f"{side}x{side}").split("x"))
    own_cfg = said("cfg")
    reasons += [
        f"the card of {one.name}"
        for one in cards
        if one.resolution or one.steps or one.cfg is not None
    ]
    if stage == "preview":
        reasons.append("a preview")
    return Sampling(width, height, steps, cfg if own_cfg is None else own_cfg, ", ".join(reasons))


def _checkpoint_name(cards: list[Card]) -> str:
    """The checkpoint's name; for a LoRA its base's, since its own may contain a subject."""
    if not cards:
        return ""
    return cards[-1].name if cards[-1].kind == "checkpoint" else cards[-1].base or ""
