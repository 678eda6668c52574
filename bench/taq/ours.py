"""TAQ's own presets: quantized Linear and Conv2d layers, and the prompt's rows stored quantized but for its trigger."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from ...taq_kernels import PRESETS, AttentionSpec, Preset, StoredRows, quantize_
from ...taq_kernels.attention import attend_stored
from ...taq_kernels.kv_cache import LayerKV
from ...taq_kernels.layers import KV_GROUP, layer_group
from .contender import Contender
from .inputs import protected
from .stored import half_bytes, stored_bytes


def contenders(device: torch.device) -> list[Contender]:
    """One for each preset."""
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


class StoredText:
    """An attention processor of diffusers for cross-attention: keys and values are projected at the first call, from
    the original weights, and kept as stored rows; later calls do not look at the text again.
    """

    def __init__(self, spec: AttentionSpec) -> None:
        self.spec = spec
        self.kv: LayerKV | None = None

    def __call__(self, attn: Any, hidden_states: Tensor, encoder_hidden_states: Tensor, **_: Any) -> Tensor:
        """`hidden_states` [2, N, C], `encoder_hidden_states` [2, 77, dim] -> [2, N, C]."""
        if self.kv is None:
            rows = protected(hidden_states.device)
            projected = attn.to_k(encoder_hidden_states), attn.to_v(encoder_hidden_states)
            k, v = (StoredRows.store(x, rows, self.spec.kv_bits) for x in projected)
            self.kv = LayerKV(k, v, rows)
        entry = torch.arange(len(hidden_states), device=hidden_states.device)
        out = attend_stored(attn.to_q(hidden_states), self.kv, entry, attn.heads, self.spec)
        return attn.to_out[0](out)

    @property
    def nbytes(self) -> int:
        """Of the stored rows; what is kept in floating point counts two bytes a value."""
        rows = (self.kv.k, self.kv.v) if self.kv else ()
        return sum(stored.nbytes - stored.kept.nbytes + half_bytes(stored.kept) for stored in rows)


def _quantizes(preset: Preset) -> str:
    weights_only = "" if preset.act_bits else ": weights only"
    return f"Linear, Conv2d{weights_only}" + (", prompt rows, attention" if preset.attention.kv_bits else "")


def _apply(preset: Preset, unet: Any) -> nn.Module:
    quantize_(unet, preset)
    processors = {
        name: StoredText(preset.attention) if ".attn2." in name else processor
        for name, processor in unet.attn_processors.items()
    }
    unet.set_attn_processor(processors)
    return unet


def _sampling_bytes(unet: Any) -> int:
    """Everything but the projections that ran once for the prompt, and the rows they left."""
    projections = (layer for name, layer in unet.named_modules() if layer_group(name) == KV_GROUP)
    rows = (p.nbytes for p in unet.attn_processors.values() if isinstance(p, StoredText))
    return stored_bytes(unet) - sum(map(stored_bytes, projections)) + sum(rows)
