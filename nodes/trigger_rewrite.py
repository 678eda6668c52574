"""The node Trigger Rewrite: puts the chosen model's trigger into any text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from comfy_api.latest import io

from ..checkin import Card, rewrite
from ..checkin.decision.serving.regions import Called, regions_of
from ..checkin.language.variants import finished, triggers_in, variant_of
from ..checkin.lexicon.sentences import again, say
from .host.language import in_its_language
from .host.models.own_part import OwnPart, with_parts
from .host.text.encode import describe_positions, encode
from .sockets import SELECTION, Selection


class TriggerRewrite(io.ComfyNode):
    """Trigger Rewrite: takes a text, gives text and conditioning with the trigger in it."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQTriggerRewrite",
            display_name="Trigger Rewrite",
            category="PersonalQ",
            has_intermediate_output=True,
            description=(
                "Puts the trigger word of the model that Repo Check-in chose into any "
                "text, in place of the subject (a bear becomes <bear-v4>), and marks its "
                "tokens for TAQ Quantize Model."
            ),
            search_aliases=["trigger word", "activation text", "lora trigger", "prompt rewrite"],
            inputs=[
                io.Clip.Input("clip", tooltip="The text encoder, from Repo Check-in."),
                SELECTION.Input("selection", tooltip="The chosen model, from Repo Check-in."),
                io.String.Input(
                    "text",
                    multiline=True,
                    default="a bear on forest grass",
                    dynamic_prompts=True,
                    tooltip=(
                        "Any prompt. Every mention of the model's subject becomes its trigger "
                        "word; weights, <lora:...> and embedding:... stay as they are. If the "
                        "subject is not mentioned, the trigger word comes first."
                    ),
                ),
            ],
            outputs=[
                io.Conditioning.Output(
                    "conditioning",
                    tooltip=(
                        "The rewritten text, encoded for a sampler, with the tokens of the "
                        "trigger word marked. If Repo Check-in gave several subjects parts of "
                        "the picture, each has its own here, too."
                    ),
                ),
                io.String.Output("prompt", tooltip="The rewritten text."),
            ],
        )

    @classmethod
    @in_its_language
    def execute(cls, clip, selection: Selection, text: str) -> io.NodeOutput:
        """Rewrite and encode the text."""
        card, cards = selection.card, (*reversed(selection.further), selection.card)
        variants = [variant_of(one, text) for one in cards]
        prompt = text
        for used in variants:
            prompt = rewrite(prompt, used.card).text
        for used in variants:
            prompt = finished(prompt, used).text
        triggers = [one for other in cards for one in triggers_in(prompt, other)]
        whole, mask = encode(clip, prompt, card.trigger, triggers)
        parts = _placed(selection.parts, cards, prompt)
        conditioning = with_parts(whole, parts, clip, triggers)
        why = say("This model has no trigger: text unchanged.")
        if card.trigger:
            trigger = variants[-1].card.trigger
            why = describe_positions(trigger, mask)
        if parts:
            why = say("Each subject is drawn in its own part of the picture.")
        unusable = [say("The trigger {unusable}.", unusable=again(one)) for one in card.unusable]
        why = " ".join([why, *unusable])
        return io.NodeOutput(
            conditioning, prompt, ui={"personalq": [{"why": why, "prompt": prompt}]}
        )


def _placed(parts: Sequence[OwnPart], cards: Sequence[Card], prompt: str) -> tuple[OwnPart, ...]:
    """The parts of a selection, placed as another prompt says.

    If it puts other subjects together, each stays where the request put it, and gets the prompt as
    a whole.
    """
    said = regions_of([Called(card, card.triggers) for card in cards], prompt) if parts else ()
    regions = {frozenset(one.card_ids): one for one in said}
    own = [frozenset(one.region.card_ids) for one in parts]
    if {*own} != regions.keys():
        return tuple(one.moved(replace(one.region, prompt=prompt)) for one in parts)
    return tuple(one.moved(regions[ids]) for one, ids in zip(parts, own, strict=True))
