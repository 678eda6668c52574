"""The node TAQ Quantize Model: 8 or 4 bits, with the trigger's rows in full precision."""

from __future__ import annotations

import dataclasses

from comfy_api.latest import io

from ..checkin.serving import FULL
from ..taq_kernels import PRESETS
from ..taq_kernels.rows import PROTECT
from .host import taq_attention
from .host.taq_model import SUPPORTED_NAMES, dress, quantize_model
from .host.user import remember
from .progress import progress_bar
from .sockets import SELECTION, Selection

FROM_PLAN = "serving plan"


class TAQ(io.ComfyNode):
    @classmethod
    def define_schema(cls) -> io.Schema:
        return io.Schema(
            node_id="PersonalQTAQ",
            display_name="TAQ Quantize Model",
            category="PersonalQ",
            has_intermediate_output=True,
            description="Trigger-aware quantization: stores the UNet in 8 or 4 bits, while the trigger's "
            f"rows in cross-attention stay exact. Runs {SUPPORTED_NAMES}.",
            search_aliases=["quantize", "quantize unet", "int8", "int4", "low vram", "taq", "W8A8", "W4A8"],
            inputs=[
                io.Model.Input("model", tooltip="The full-precision model; LoRAs on it are quantized with it."),
                io.Combo.Input(
                    "preset",
                    options=[*PRESETS, FROM_PLAN],
                    default="W8A8",
                    tooltip="Bits of weights (W) and of what flows between layers (A). W8A8: half the memory of fp16. "
                    "W4A8: about a quarter. serving plan: what Repo Check-in proposes; connect selection.",
                ),
                io.Combo.Input(
                    "protect",
                    options=list(PROTECT),
                    default=PROTECT[0],
                    tooltip="Which text rows cross-attention keeps in full precision: the trigger's tokens, the start "
                    "token (BOS), both, none, or all.",
                ),
                io.Combo.Input(
                    "quantizer",
                    options=["uniform", "log"],
                    default="uniform",
                    tooltip="How attention weights are quantized: uniform steps, or the paper's logarithmic ones.",
                    advanced=True,
                ),
                SELECTION.Input(
                    "selection", optional=True, tooltip="From Repo Check-in: its serving plan can choose the preset."
                ),
            ],
            outputs=[
                io.Model.Output("model", tooltip="The quantized model, for a sampler."),
                io.String.Output("report", tooltip="Bytes before and after by layer group; what is native, and why."),
            ],
            hidden=[io.Hidden.unique_id],
        )

    @classmethod
    def execute(cls, model, preset, protect, quantizer, selection: Selection | None = None) -> io.NodeOutput:
        if preset == FROM_PLAN:
            if selection is None:
                raise ValueError(
                    "The preset 'serving plan' needs Repo Check-in's selection: connect it, or choose another preset."
                )
            preset = selection.serving.preset
            if preset == FULL:
                why = f"Not quantized: {selection.serving.why}."
                return io.NodeOutput(model, why, ui={"personalq": [{"why": why}]})
        elif selection:
            remember(selection.card, preset)
        chosen = PRESETS[preset]
        quantized = quantize_model(model, chosen, progress_bar(cls.hidden.unique_id))
        out = dress(quantized, model)
        taq_attention.install(out, protect, dataclasses.replace(chosen.attention, quantizer=quantizer))
        report = quantized.report
        why = (
            f"{preset}: UNet {report.bytes_before / 2**20:.0f} MB in fp16, now {report.bytes_after / 2**20:.0f} MB "
            f"({report.ratio:.2f}); exact in cross-attention: {protect}."
        )
        ui = {"personalq": [{"why": why, "report": report.to_dict()}]}
        return io.NodeOutput(out, report.text(), ui=ui)
