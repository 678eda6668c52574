"""What Repo Check-in gives out after a decision: the loaded model and the encoded prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from comfy_execution.graph_utils import ExecutionBlocker

from ..checkin import Card, Decision
from ..checkin.decision.serving.used import on_the_whole
from ..checkin.language.variants import triggers_in
from ..checkin.lexicon.sentences import say, sentence
from .host.models.connected import Connected, apply
from .host.models.load import Loaded, load_with
from .host.models.lora_stack import lora_stack
from .host.models.own_part import in_parts, with_parts
from .host.text.encode import encode
from .host.user import remember
from .sockets import Selection

_NO_CLIP = sentence(
    "Repo Check-in has a model and no text encoder: connect its input `clip` too, or encode its "
    "output `prompt` with a node of yours."
)
_NO_VAE = sentence(
    "Repo Check-in has a model and no VAE: connect its input `vae` too, or use your own VAE."
)


def outputs_of(decision: Decision, connected: Connected | None) -> tuple[list, list[str]]:
    """The loaded model with its prompt, and notices on how it fits.

    Without a model: `ExecutionBlocker`s, which end the run without an error while a question waits
    on the canvas. What a connected model lacks is one with a message, for the node that uses it.
    """
    card, prompt = decision.card, decision.prompt
    if card is None or prompt is None:
        return [ExecutionBlocker(None)] * 8, []
    notices: list[str] = []

    def load_loras(loras: Sequence[Card]) -> Loaded | Connected:
        if connected and (about := decision.intent.connected):
            applied, said = apply(connected, about, loras)
            notices.extend(one for one in said if one not in notices)
            return applied
        return load_with(card, decision.base, loras)

    loaded, parts = in_parts(decision, load_loras)
    selection = Selection(card, decision.serving, decision.further, parts)
    conditioning: Any = ExecutionBlocker(say(_NO_CLIP))
    if loaded.clip is not None:
        triggers = [
            trigger
            for one in decision.models
            if one.on and one.card
            for trigger in (*one.triggers, *triggers_in(prompt, one.card))
        ]
        whole, _ = encode(loaded.clip, prompt, card.trigger, triggers)
        conditioning = with_parts(whole, parts, loaded.clip, triggers)
    for one in decision.models:
        if one.card and one.on:
            remember(one.card)
    clip = ExecutionBlocker(say(_NO_CLIP)) if loaded.clip is None else loaded.clip
    vae = ExecutionBlocker(say(_NO_VAE)) if loaded.vae is None else loaded.vae
    stack, unnamed = lora_stack(on_the_whole(decision).cards)
    outputs = [loaded.model, clip, vae, conditioning, prompt, selection, stack, decision.serving]
    return outputs, [*notices, *unnamed]
