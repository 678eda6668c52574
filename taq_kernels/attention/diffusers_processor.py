"""TAQ's cross-attention as an attention processor of diffusers: the prompt's rows are stored once,
then only read.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..families import is_cross_attention
from ..spec import AttentionSpec
from .cross_attention import attend_stored
from .kv_cache import LayerKV
from .kv_tokens import StoredRows
from .protected_tokens import ALL, protected_rows


class StoredTextAttention:
    """Keys and values are projected at the first call, from the original weights, and kept as
    stored rows; later calls do not look at the text again. So one processor serves one batch of
    prompts.

    `protected` bool [B, T]: the rows that stay in full precision.
    """

    def __init__(self, spec: AttentionSpec, protected: Tensor) -> None:
        self.spec = spec
        self.protected = protected
        self.kv: LayerKV | None = None

    def __call__(
        self, attn: Any, hidden_states: Tensor, encoder_hidden_states: Tensor, **_: Any
    ) -> Tensor:
        """`hidden_states` [B, N, C], `encoder_hidden_states` [B, T, dim] -> [B, N, C]."""
        if self.kv is None:
            rows = self.protected.to(hidden_states.device)
            projected = attn.to_k(encoder_hidden_states), attn.to_v(encoder_hidden_states)
            k, v = (StoredRows.store(x, rows, self.spec.kv_bits) for x in projected)
            self.kv = LayerKV(k, v, rows)
        entry = torch.arange(len(hidden_states), device=hidden_states.device)
        out = attend_stored(attn.to_q(hidden_states), self.kv, entry, attn.heads, self.spec)
        return attn.to_out[0](out)


def store_text_(unet: Any, spec: AttentionSpec, marks: Tensor, protect: str = ALL) -> None:
    """Gives every cross-attention of a UNet2DConditionModel a fresh processor, in place: once for
    each prompt.

    `marks` [B, T] and `protect` are those of `protected_rows`, which rows stay in full precision.
    """
    protected, left = protected_rows(marks, protect), spec.keeping(protect)
    processors = {
        name: StoredTextAttention(left, protected)
        if is_cross_attention(name.removesuffix(".processor"))
        else processor
        for name, processor in unet.attn_processors.items()
    }
    unet.set_attn_processor(processors)
