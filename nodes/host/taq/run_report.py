"""The report of TAQ Quantize Model: bytes, precision of each layer group, bit operations."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from ....checkin.lexicon.sentences import say
from ....taq_kernels import AttentionSpec, Preset
from ....taq_kernels.spec import TRIGGER, TRIGGER_AND_BOS
from ..models.patch_bytes import patch_bytes
from .macs import count
from .model import Quantized
from .supported import family_of_model

T = TypeVar("T")


def run_report(
    model, quantized: Quantized, out, run_as: Preset, protect: str
) -> tuple[str, dict[str, Any]]:
    """(report as text, data that the node shows).

    `model` is in full precision; `out` is quantized and runs with the preset `run_as`.
    """
    bypass = out.branch_patches()
    family = family_of_model(model)
    pixels = family.picture_size
    side = pixels // model.get_model_object("latent_format").spacial_downscale_ratio
    report, trouble = _attempt(
        say("The report could not be made"),
        lambda: dataclasses.replace(
            quantized.report, preset=run_as, bytes_bypass=patch_bytes(bypass)
        ),
    )
    if report is None:
        why = say("{preset}: quantized. {trouble}", preset=run_as.name, trouble=trouble)
        return why, {"why": why}
    why = say(
        "{preset}: {before} MB in fp16, now {after} MB ({ratio}); exact in cross-attention: "
        "{protect}.",
        preset=run_as.name,
        before=f"{report.bytes_before / 2**20:.0f}",
        after=f"{report.bytes_after / 2**20:.0f}",
        ratio=f"{report.ratio:.2f}",
        protect=_exact(protect, run_as.attention, family.padded),
    )
    operations, trouble = _attempt(
        "bit operations could not be counted",
        lambda: report.bops_text(count(model, side), f"of a step, {pixels} px"),
    )
    lines = [report.text(), operations or trouble]
    if bypass:
        lines.append(f"LoRAs: {len(bypass)} weights, beside the quantized base in full precision")
    return "\n".join(lines), {"why": why, "report": report.to_dict(), "notes": lines[1:]}


def _exact(protect: str, attention: AttentionSpec, padded: bool) -> str:
    """What stays in full precision in cross-attention, for prompts that the node does not know."""
    if not attention.quantizes:
        return say("all, nothing there is quantized")
    if padded and protect == TRIGGER_AND_BOS:
        return say("trigger + padding, which is what BOS is elsewhere")
    if protect == TRIGGER_AND_BOS:
        return say("trigger + BOS (BOS alone in a prompt without a marked trigger)")
    if protect == TRIGGER:
        return say("trigger (nothing in a prompt without a marked trigger)")
    return protect


def _attempt(trouble: str, make: Callable[[], T]) -> tuple[T | None, str]:
    """(result of `make`, ""), or (None, `trouble` with the reason) if it fails.

    The quantized model must not be lost because its report fails.
    """
    try:
        return make(), ""
    except Exception as error:
        logging.exception("PersonalQ: %s", trouble)
        return None, f"{trouble} ({type(error).__name__}: {error})."
