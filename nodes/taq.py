"""The node TAQ Quantize Model: a UNet in 8 or 4 bits, the trigger's tokens in full precision."""

from __future__ import annotations

import dataclasses

from comfy_api.latest import io

from ..checkin.decision.serving.plan import FULL
from ..checkin.lexicon.sentences import say
from ..taq_kernels import PRESETS
from ..taq_kernels.families import SUPPORTED, parse_layer_bits
from ..taq_kernels.spec import ATTENTION_QUANTIZERS, PROTECT
from .host.language import in_its_language
from .host.taq import attention as taq_attention
from .host.taq.files import made_last
from .host.taq.model import QuantConfig, quantize_model
from .host.taq.patcher import TAQPatcher
from .host.taq.run_report import run_report
from .host.taq.supported import reason_against
from .host.user import remember
from .progress import progress_bar
from .sockets import SELECTION, Selection

FROM_PLAN = "serving plan"
PER_ROW, PER_TENSOR = "per row", "per tensor"
ROUNDINGS = ("nearest", "adaround", "brecq")


class TAQ(io.ComfyNode):
    """TAQ Quantize Model: takes a model, gives it quantized."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQTAQ",
            display_name="TAQ Quantize Model",
            category="PersonalQ",
            has_intermediate_output=True,
            description=(
                "Makes a model need half the memory or a quarter, for a graphics card that is "
                "too small for it, with almost the same picture. Your trigger word stays exact "
                "where the model reads the prompt (trigger-aware quantization, TAQ). "
                f"Runs {SUPPORTED}."
            ),
            search_aliases=[
                "quantize",
                "quantize unet",
                "int8",
                "int4",
                "low vram",
                "taq",
                "W8A8",
                "W4A8",
            ],
            inputs=[
                io.Model.Input(
                    "model",
                    tooltip=(
                        "The model to make smaller, in full precision (not quantized yet). LoRAs "
                        "on it stay in full precision and are added to the quantized model."
                    ),
                ),
                io.Combo.Input(
                    "preset",
                    options=[*PRESETS, FROM_PLAN],
                    default="W8A8",
                    tooltip=(
                        "How small the model becomes. W8A8: half the memory of fp16, almost "
                        "the same picture; begin here. W4A8: about a quarter, with more "
                        "differences. W8, W4: as small; for AMD, Apple, Intel and older NVIDIA "
                        "cards. W8A4, W4A4: simulated, only to compare. serving plan: what Repo "
                        "Check-in suggests for this model and your hardware; connect selection. "
                        "The numbers are bits: W of what is stored (weights), A of what is "
                        "computed with (activations)."
                    ),
                ),
                io.Combo.Input(
                    "protect",
                    options=list(PROTECT),
                    default=PROTECT[0],
                    tooltip=(
                        "Leave it at trigger + BOS: your trigger word and the start of the "
                        "prompt are read exactly. all: the whole prompt is. The others are mostly "
                        "for comparison. trigger, BOS, EOS (the end of the prompt): these alone. "
                        "none: nothing. random rows: as many pieces of words (tokens) as trigger "
                        "+ BOS, chosen at random. as measured: as many tokens, those that each "
                        "layer is most sensitive to."
                    ),
                ),
                io.Combo.Input(
                    "quantizer",
                    options=list(ATTENTION_QUANTIZERS),
                    default=ATTENTION_QUANTIZERS[0],
                    tooltip=(
                        "You can leave this as it is. How attention weights are rounded: "
                        "uniform in equal steps, log in the logarithmic steps of the paper. "
                        "Without effect where protect is all."
                    ),
                    advanced=True,
                ),
                SELECTION.Input(
                    "selection",
                    optional=True,
                    tooltip="From Repo Check-in. Only the preset serving plan needs it.",
                ),
                io.Combo.Input(
                    "scales",
                    options=[PER_ROW, PER_TENSOR],
                    default=PER_ROW,
                    optional=True,
                    advanced=True,
                    tooltip=(
                        "You can leave this as it is. per row: each token, pixel and attention "
                        "row has a scale of its own. per tensor: one scale for all those of a "
                        "picture, which is less exact (simulated, only to compare)."
                    ),
                ),
                io.Combo.Input(
                    "rounding",
                    options=list(ROUNDINGS),
                    default=ROUNDINGS[0],
                    optional=True,
                    advanced=True,
                    tooltip=(
                        "You can leave this as it is. How weights are rounded. nearest: to the "
                        "nearest value. adaround and brecq: as TAQ Calibrate has learned for "
                        "this model."
                    ),
                ),
                io.String.Input(
                    "layers",
                    default="",
                    optional=True,
                    advanced=True,
                    tooltip=(
                        "You can leave this empty. Layers with bits of their own, by name: "
                        "`input_blocks.1.*: keep; *.ff.*: 8; *.attn1.*: 4`. keep means full "
                        "precision."
                    ),
                ),
            ],
            outputs=[
                io.Model.Output("model", tooltip="The quantized model, for a sampler."),
                io.String.Output(
                    "report",
                    tooltip=(
                        "Memory before and after, for each group of layers, and what your "
                        "hardware computes natively."
                    ),
                ),
            ],
            hidden=[io.Hidden.unique_id],
        )

    @classmethod
    def fingerprint_inputs(cls, rounding=ROUNDINGS[0], **inputs):
        """When weights were calibrated last, where they are used."""
        return 0 if rounding == ROUNDINGS[0] else made_last()

    @classmethod
    @in_its_language
    def execute(
        cls,
        model,
        preset,
        protect,
        quantizer,
        selection: Selection | None = None,
        scales=PER_ROW,
        rounding=ROUNDINGS[0],
        layers="",
    ) -> io.NodeOutput:
        """Quantize the UNet and install the quantized attention.

        If the preset is the serving plan, and that says full precision or TAQ cannot quantize the
        model, it is passed on as it is. Raises ValueError for that preset without a selection.
        """
        if preset == FROM_PLAN:
            if selection is None:
                raise ValueError(
                    say(
                        "The preset 'serving plan' needs Repo Check-in's selection: connect it, or "
                        "choose another preset."
                    )
                )
            preset = selection.serving.preset
            if preset == FULL:
                return _as_it_is(model, say("Not quantized: {why}.", why=selection.serving.why))
            if against := reason_against(model):
                return _as_it_is(model, say("Not quantized. {why}", why=against))
        elif selection:
            remember(selection.card, preset)
        per_tensor = scales == PER_TENSOR
        chosen = dataclasses.replace(PRESETS[preset], per_tensor=per_tensor)
        config = QuantConfig(chosen, tuple(parse_layer_bits(layers).items()), rounding)
        quantized = quantize_model(model, config, progress_bar(cls.hidden.unique_id))
        out = TAQPatcher.with_patches_of(model, quantized.patcher)
        spec = dataclasses.replace(chosen.attention, quantizer=quantizer, per_tensor=per_tensor)
        run_as = dataclasses.replace(chosen, attention=taq_attention.install(out, protect, spec))
        text, shown = run_report(model, quantized, out, run_as, protect)
        return io.NodeOutput(out, text, ui={"personalq": [shown]})


def _as_it_is(model, why: str) -> io.NodeOutput:
    return io.NodeOutput(model, why, ui={"personalq": [{"why": why}]})
