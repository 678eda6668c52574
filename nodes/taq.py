"""The node TAQ Quantize Model: 8 or 4 bits, with the trigger's rows in full precision."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from typing import TypeVar

from comfy_api.latest import io

from ..checkin.decision.serving import FULL
from ..taq_kernels import PRESETS, Preset
from ..taq_kernels.attention.protected_tokens import PROTECT
from ..taq_kernels.families import SUPPORTED, parse_layer_bits
from ..taq_kernels.spec import ATTENTION_QUANTIZERS
from .host.models.patch_bytes import patch_bytes
from .host.taq import attention as taq_attention
from .host.taq.macs import count
from .host.taq.model import QuantConfig, Quantized, quantize_model
from .host.taq.patcher import TAQPatcher
from .host.taq.supported import family_of_model
from .host.user import remember
from .progress import progress_bar
from .sockets import SELECTION, Selection

FROM_PLAN = "serving plan"
PER_ROW, PER_TENSOR = "per row", "per tensor"
ROUNDINGS = ("nearest", "adaround", "brecq")
T = TypeVar("T")


class TAQ(io.ComfyNode):
    """Quantizes a MODEL, and reports what it then consists of."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Inputs and outputs."""
        return io.Schema(
            node_id="PersonalQTAQ",
            display_name="TAQ Quantize Model",
            category="PersonalQ",
            has_intermediate_output=True,
            description=(
                "Trigger-aware quantization: stores the UNet in 8 or 4 bits, while the trigger's "
                f"rows in cross-attention stay exact. Runs {SUPPORTED}."
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
                    tooltip="The full-precision model. LoRAs on it run beside the quantized base.",
                ),
                io.Combo.Input(
                    "preset",
                    options=[*PRESETS, FROM_PLAN],
                    default="W8A8",
                    tooltip=(
                        "Bits of weights (W) and of what flows between layers (A). W8A8: half the "
                        "memory of fp16. W4A8: about a quarter. W8A4, W4A4: simulated, to compare. "
                        "W8, W4: weights alone. serving plan: what Repo Check-in proposes; connect "
                        "selection."
                    ),
                ),
                io.Combo.Input(
                    "protect",
                    options=list(PROTECT),
                    default=PROTECT[0],
                    tooltip=(
                        "Which text rows cross-attention keeps in full precision: all, which "
                        "measures best; the trigger's tokens, the start token (BOS), the end token "
                        "(EOS), none, as many random ones, or as many as each layer feels most."
                    ),
                ),
                io.Combo.Input(
                    "quantizer",
                    options=list(ATTENTION_QUANTIZERS),
                    default=ATTENTION_QUANTIZERS[0],
                    tooltip=(
                        "How attention weights are quantized: uniform steps, or the paper's "
                        "logarithmic ones."
                    ),
                    advanced=True,
                ),
                SELECTION.Input(
                    "selection",
                    optional=True,
                    tooltip="From Repo Check-in: its serving plan can choose the preset.",
                ),
                io.Combo.Input(
                    "scales",
                    options=[PER_ROW, PER_TENSOR],
                    default=PER_ROW,
                    optional=True,
                    advanced=True,
                    tooltip=(
                        "One scale for each token, pixel and attention row, or one for a whole "
                        "tensor (simulated, to compare)."
                    ),
                ),
                io.Combo.Input(
                    "rounding",
                    options=list(ROUNDINGS),
                    default=ROUNDINGS[0],
                    optional=True,
                    advanced=True,
                    tooltip=(
                        "How weights are rounded: to the nearest code, or as TAQ Calibrate learned "
                        "it before."
                    ),
                ),
                io.String.Input(
                    "layers",
                    default="",
                    optional=True,
                    advanced=True,
                    tooltip=(
                        "Layers with bits of their own: `input_blocks.1.*: keep; *.ff.*: 8; "
                        "*.attn1.*: 4`."
                    ),
                ),
            ],
            outputs=[
                io.Model.Output("model", tooltip="The quantized model, for a sampler."),
                io.String.Output(
                    "report",
                    tooltip="Bytes before and after by layer group; what is native, and why.",
                ),
            ],
            hidden=[io.Hidden.unique_id],
        )

    @classmethod
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
        """The model, quantized by the widgets, and the report.

        Raises ValueError for a model that is not supported, and for a serving plan without one.
        """
        if preset == FROM_PLAN:
            if selection is None:
                raise ValueError(
                    "The preset 'serving plan' needs Repo Check-in's selection: connect it, or "
                    "choose another preset."
                )
            preset = selection.serving.preset
            if preset == FULL:
                why = f"Not quantized: {selection.serving.why}."
                return io.NodeOutput(model, why, ui={"personalq": [{"why": why}]})
        elif selection:
            remember(selection.card, preset)
        per_tensor = scales == PER_TENSOR
        chosen = dataclasses.replace(PRESETS[preset], per_tensor=per_tensor)
        config = QuantConfig(chosen, tuple(parse_layer_bits(layers).items()), rounding)
        quantized = quantize_model(model, config, progress_bar(cls.hidden.unique_id))
        out = TAQPatcher.with_patches_of(model, quantized.patcher)
        spec = dataclasses.replace(chosen.attention, quantizer=quantizer, per_tensor=per_tensor)
        run_as = dataclasses.replace(chosen, attention=taq_attention.install(out, protect, spec))
        text, shown = _described(model, quantized, out, run_as, protect)
        return io.NodeOutput(out, text, ui=shown)


def _described(model, quantized: Quantized, out, run_as: Preset, protect: str) -> tuple[str, dict]:
    """(report as text, what the node shows)."""
    beside = out.branch_patches()
    pixels = family_of_model(model).picture_size
    report, trouble = _aside(
        "The report could not be made",
        lambda: dataclasses.replace(
            quantized.report, preset=run_as, bytes_bypass=patch_bytes(beside)
        ),
    )
    if report is None:
        why = f"{run_as.name}: quantized. {trouble}"
        return why, {"personalq": [{"why": why}]}
    why = (
        f"{run_as.name}: UNet {report.bytes_before / 2**20:.0f} MB in fp16, now "
        f"{report.bytes_after / 2**20:.0f} MB ({report.ratio:.2f}); exact in cross-attention: "
        f"{protect}."
    )
    operations, trouble = _aside(
        "bit operations could not be counted",
        lambda: report.bops_text(count(model, pixels // 8), f"of a step, {pixels} px"),
    )
    lines = [report.text(), operations or trouble]
    if beside:
        lines.append(f"LoRAs: {len(beside)} weights, beside the quantized base in full precision")
    return "\n".join(lines), {
        "personalq": [{"why": why, "report": report.to_dict(), "notes": lines[1:]}]
    }


def _aside(trouble: str, make: Callable[[], T]) -> tuple[T | None, str]:
    """(what `make` gives, ""), or (None, `trouble` with its reason): what only describes a model
    never loses it.
    """
    try:
        return make(), ""
    except Exception as error:
        logging.exception("PersonalQ: %s", trouble)
        return None, f"{trouble} ({type(error).__name__}: {error})."
