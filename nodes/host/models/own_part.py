"""LoRAs that act on one part of the picture alone, as hooks of the host.

A hook belongs to a conditioning: while it is sampled, the LoRA is on the model, or beside the
quantized weights (TAQ).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import comfy.sd
from comfy.hooks import HookGroup, WeightHook
from comfy.model_patcher import ModelPatcher
from node_helpers import conditioning_set_values

from ....checkin import Card, Decision
from ....checkin.decision.decision import Region
from ....checkin.decision.serving.used import on_the_whole
from ....checkin.lexicon.sentences import listed, say
from ..text.encode import encode
from .connected import Connected
from .load import Loaded
from .patch_bytes import Patches

GROUND = 0.3
"""How much the prompt of the whole picture counts beside those of its parts."""
LoadWith = Callable[[Sequence[Card]], Loaded | Connected]
"""Gives the model and text encoder with some LoRAs on them, in this order."""
Changes = Mapping[Any, Any]
"""What a LoRA adds, as the host's `add_patches` takes it."""


@dataclass(frozen=True)
class OwnPart:
    """A part of the picture, with the LoRAs that act on it alone."""

    region: Region
    area: tuple
    """The part as an area of the host, in shares of the picture: sizes, then offsets."""
    hooks: HookGroup
    text: tuple[tuple[Changes, float], ...]
    """What its LoRAs change in the text encoder, with their strengths."""

    def encode(self, clip: comfy.sd.CLIP, triggers: Sequence[str]) -> list:
        """The CONDITIONING of this part, with its LoRAs."""
        changed = clip.clone()
        for changes, strength in self.text:
            changed.add_patches(changes, strength)
        encoded, _ = encode(changed, self.region.prompt, None, triggers)
        own = {"hooks": self.hooks, "area": self.area, "strength": 1.0, "set_area_to_bounds": False}
        return conditioning_set_values(encoded, own)

    def moved(self, region: Region) -> OwnPart:
        """The same LoRAs with the place and the prompt of another region."""
        return replace(self, region=region, area=(*self.area[:-1], region.start))


def with_parts(
    whole: list, parts: Sequence[OwnPart], clip: comfy.sd.CLIP, triggers: Sequence[str]
) -> list:
    """The CONDITIONING of the whole picture with those of its parts; without parts, as it is.

    The whole is faint: it fills the seams, and joins the parts to one picture.
    """
    if not parts:
        return whole
    ground = conditioning_set_values(whole, {"strength": GROUND})
    return [*ground, *(one for part in parts for one in part.encode(clip, triggers))]


def dimensions(model: ModelPatcher) -> int:
    """Of its latents: 2 for pictures, 3 for video, 1 for sound."""
    return int(model.model.latent_format.latent_dimensions)


def in_parts(decision: Decision, load: LoadWith) -> tuple[Loaded | Connected, tuple[OwnPart, ...]]:
    """The model with the LoRAs of the whole picture, and the parts with their own.

    Raises what `load` raises.
    """
    loras = [card for card in decision.cards if card.kind == "lora"]
    own = {one for region in decision.regions for one in region.card_ids}
    whole = [card for card in loras if card.id not in own]
    loaded, parts = load(whole), []
    for region in decision.regions:
        cards = [card for card in loras if card.id in region.card_ids]
        steps = [loaded, *(load([*whole, *cards[: n + 1]]) for n in range(len(cards)))]
        hooks, text = HookGroup(), []
        for card, (before, after) in zip(cards, pairwise(steps), strict=True):
            hooks.add(_hook(_added(before.model.patches, after.model.patches), card.strength))
            if before.clip is not None and after.clip is not None:
                changes = _added(before.clip.patcher.patches, after.clip.patcher.patches)
                text.append((changes, card.strength))
        over = (1.0,) * (dimensions(loaded.model) - 1)
        sizes = (*over, 1 / len(decision.regions))
        area = ("percentage", *sizes, *(0.0 for _ in over), region.start)
        parts.append(OwnPart(region, area, hooks, tuple(text)))
    return loaded, tuple(parts)


def parts_or_whole(
    decision: Decision, connected: Connected | None, is_encoded: bool
) -> tuple[Decision, list[str]]:
    """The decision, without its parts where they cannot be; and what is said of them.

    `is_encoded`: whether the graph uses a conditioning of ours.
    """
    if not decision.regions:
        return decision, []
    names = {card.id: card.name for card in decision.cards}
    called = [listed([names[one] for one in each.card_ids], "and") for each in decision.regions]
    if needed := _what_parts_need(connected, is_encoded):
        said = say(
            "{loras} act on the whole picture. {needed}", loras=listed(called, "and"), needed=needed
        )
        return on_the_whole(decision), [said]
    where = (f"{name} {say(one.name)}" for name, one in zip(called, decision.regions, strict=True))
    return decision, [say("Each in its own part of the picture: {parts}.", parts=", ".join(where))]


def _what_parts_need(connected: Connected | None, is_encoded: bool) -> str | None:
    """What the user can do to give each subject a part of its own; None for nothing."""
    if not is_encoded:
        return say(
            "To draw each in its own part of it, use the output `conditioning`, or that of Trigger "
            "Rewrite, instead of encoding `prompt`."
        )
    if connected is None:
        return None
    model = connected.model
    if connected.clip is None:
        return say("To draw each in its own part of it, connect `clip` too.")
    if dimensions(model) < 2:
        return say("The connected model draws no pictures, so they have no parts of it.")
    if model.is_dynamic() and model.cached_patcher_init is None:  # then the host refuses hooks
        return say(
            "ComfyUI cannot change the connected model for a part of it, because its loader does "
            "not say how to load it again: use one of ComfyUI's own loaders."
        )
    return None


def _added(before: Patches, after: Patches) -> Changes:
    """The changes that were added to some patches, by weight, place in it and function."""
    return {
        (key, patch[3], patch[4]): patch[1]
        for key, found in after.items()
        for patch in found[len(before.get(key, ())) :]
    }


def _hook(changes: Changes, strength: float) -> WeightHook:
    hook = WeightHook(strength_model=strength, strength_clip=0.0)
    hook.weights, hook.need_weight_init = dict(changes), False
    return hook
