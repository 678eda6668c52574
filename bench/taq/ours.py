"""TAQ's own presets: quantized Linear and Conv2d layers, and the prompt's K/V cache.

The prompts have no trigger, so BOS stays in full precision, as by default.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from ...taq_kernels import PRESETS, Preset, quantize_
from ...taq_kernels.attention.diffusers_processor import StoredTextAttention, store_text_
from ...taq_kernels.families import KV_GROUP, layer_group
from .contender import Contender
from .inputs import ROWS
from .stored import half_bytes, stored_bytes


def contenders(device: torch.device) -> list[Contender]:
    """Return one contender for each preset."""
    return [
        Contender(
            name=f"TAQ {preset.name}",
            quantizes=_quantizes(preset),
            apply=partial(_apply, preset),
            simulated=preset.precision(device).kind == "simulated",
            sampling_bytes=_sampling_bytes,
        )
        for preset in PRESETS.values()
    ]


def _quantizes(preset: Preset) -> str:
    weights_only = "" if preset.act_bits else ": weights only"
    return f"Linear, Conv2d{weights_only}" + (
        ", prompt rows, attention" if preset.attention.quantizes else ""
    )


def _apply(preset: Preset, unet: Any) -> nn.Module:
    quantize_(unet, preset)
    store_text_(unet, preset.attention, torch.zeros(2, ROWS, device=next(unet.parameters()).device))
    return unet


def _sampling_bytes(unet: Any) -> int:
    """Count the K/V cache, but not the K/V projections: they run once per prompt."""
    projections = (layer for name, layer in unet.named_modules() if layer_group(name) == KV_GROUP)
    rows = (
        _rows_bytes(p) for p in unet.attn_processors.values() if isinstance(p, StoredTextAttention)
    )
    return stored_bytes(unet) - sum(map(stored_bytes, projections)) + sum(rows)


def _rows_bytes(processor: StoredTextAttention) -> int:
    """Count the stored keys and values; those in floating point at two bytes a value."""
    rows = (processor.kv.k, processor.kv.v) if processor.kv else ()
    return sum(stored.nbytes - stored.full.nbytes + half_bytes(stored.full) for stored in rows)
