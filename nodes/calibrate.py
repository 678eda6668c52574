"""The node TAQ Calibrate: learns how to round weights, for TAQ Quantize Model."""

from __future__ import annotations

from comfy_api.latest import io

from ..checkin.language.trigger_prompt import prompt_form
from ..checkin.lexicon.sentences import say
from ..taq_kernels import PRESETS
from ..taq_kernels.calibration import calibration_prompts
from ..taq_kernels.families import parse_layer_bits
from .host.language import in_its_language
from .host.taq.calibration import Effort, calibrate_model
from .host.taq.model import QuantConfig
from .progress import progress_bar
from .sockets import SELECTION, Selection


class Calibrate(io.ComfyNode):
    """TAQ Calibrate: takes a model and what it draws, stores the learned rounding on disk."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQCalibrate",
            display_name="TAQ Calibrate",
            category="PersonalQ",
            is_output_node=True,
            description=(
                "Only needed if the pictures of TAQ Quantize Model differ too much from those "
                "of the whole model. Makes quantized models more exact: learns, once for each "
                "model, whether to round each weight up or down (by AdaRound or BRECQ), from "
                "pictures that the model draws of its own subject. Takes hours for a full-size "
                "model. You can stop at any time: the next run resumes after the last finished "
                "block. Then choose the rounding in TAQ Quantize Model."
            ),
            search_aliases=["adaround", "brecq", "calibration", "quantize"],
            inputs=[
                io.Model.Input("model", tooltip="The full-precision model."),
                io.Clip.Input("clip", tooltip="Its text encoder."),
                io.Combo.Input(
                    "bits",
                    options=["W8A8", "W4A8"],
                    default="W4A8",
                    tooltip=(
                        "Bits of weights and activations, as in the preset of TAQ Quantize Model."
                    ),
                ),
                io.Combo.Input(
                    "method",
                    options=["brecq", "adaround"],
                    default="brecq",
                    tooltip=(
                        "brecq: learn all layers of a block together. adaround: learn layer by "
                        "layer."
                    ),
                ),
                io.String.Input(
                    "trigger",
                    default="",
                    tooltip="The model's trigger word. Empty: from selection.",
                ),
                io.String.Input(
                    "noun",
                    default="",
                    tooltip=("What the model draws (bear, person, ...). Empty: from selection."),
                ),
                io.Int.Input(
                    "prompts",
                    default=64,
                    min=1,
                    max=1024,
                    tooltip="How many pictures to learn from.",
                ),
                io.Int.Input(
                    "iterations",
                    default=20000,
                    min=1,
                    max=100000,
                    tooltip="Learning steps for each block of layers.",
                ),
                io.Float.Input(
                    "learning_rate",
                    default=0.0,
                    min=0.0,
                    max=1.0,
                    step=1e-5,
                    round=False,
                    advanced=True,
                    tooltip=(
                        "Learning rate of the optimizer (Adam). 0: the one that fits the "
                        "iterations."
                    ),
                ),
                io.Int.Input(
                    "pixels",
                    default=512,
                    min=64,
                    max=2048,
                    step=64,
                    tooltip="Width and height of these pictures in pixels.",
                ),
                io.String.Input(
                    "layers",
                    default="",
                    optional=True,
                    advanced=True,
                    tooltip="Layers with bits of their own, as in TAQ Quantize Model.",
                ),
                SELECTION.Input(
                    "selection",
                    optional=True,
                    tooltip="From Repo Check-in: supplies the trigger word and the noun.",
                ),
            ],
            outputs=[
                io.String.Output(
                    "report", tooltip="The error of each block: rounded to nearest, and as learned."
                )
            ],
            hidden=[io.Hidden.unique_id],
        )

    @classmethod
    @in_its_language
    def execute(
        cls,
        model,
        clip,
        bits,
        method,
        trigger,
        noun,
        prompts,
        iterations,
        learning_rate,
        pixels,
        layers="",
        selection: Selection | None = None,
    ) -> io.NodeOutput:
        """Learn the rounding, and store it with the model's quantized weights."""
        card = selection.card if selection else None
        trigger = trigger.strip() or (card.trigger if card else None)
        noun = noun.strip() or (card.subjects[0] if card and card.subjects else None)
        if not trigger or not noun:
            raise ValueError(
                say(
                    "Say what to draw: write the model's trigger and its noun, or connect "
                    "selection."
                )
            )
        bar = progress_bar(cls.hidden.unique_id)
        made = calibrate_model(
            model,
            clip,
            calibration_prompts(prompt_form(trigger), noun, prompts),
            QuantConfig(PRESETS[bits], tuple(parse_layer_bits(layers).items())),
            method,
            Effort(iterations, learning_rate or None, pixels),
            lambda done, total, *_: bar(done, total),
        )
        lines = [
            say(
                "{name}: {before} rounded to nearest, {after} as learned",
                name=block.name,
                before=f"{block.error_before:.4f}",
                after=f"{block.error_after:.4f}",
            )
            for block in made.blocks
        ]
        why = say(
            "{number} blocks calibrated by {method}: choose the rounding '{method}' in TAQ "
            "Quantize Model.",
            number=len(lines),
            method=method,
        )
        return io.NodeOutput("\n".join([why, *lines]), ui={"personalq": [{"why": why}]})
