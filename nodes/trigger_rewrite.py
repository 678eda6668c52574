"""The node Trigger Rewrite: puts the chosen model's trigger into any text."""

from __future__ import annotations

from comfy_api.latest import io

from ..checkin import rewrite
from ..checkin.language.variants import finished, triggers_in, variant_of
from ..checkin.lexicon.sentences import again, say
from .host.language import in_its_language
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
                        "trigger word marked."
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
        conditioning, mask = encode(clip, prompt, card.trigger, triggers)
        why = say("This model has no trigger: text unchanged.")
        if card.trigger:
            trigger = variants[-1].card.trigger
            why = describe_positions(trigger, mask)
        unusable = [say("The trigger {unusable}.", unusable=again(one)) for one in card.unusable]
        why = " ".join([why, *unusable])
        return io.NodeOutput(
            conditioning, prompt, ui={"personalq": [{"why": why, "prompt": prompt}]}
        )
