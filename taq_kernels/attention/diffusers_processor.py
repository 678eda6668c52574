"""TAQ's cross-attention as an attention processor for diffusers.

Keys and values of the text are computed and stored once for each prompt, then only read.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..families import is_cross_attention
from ..spec import TRIGGER_AND_BOS, AttentionSpec
from .cross_attention import attend_stored
from .kv_cache import LayerKV
from .kv_tokens import StoredTokens
from .protected_tokens import protected_tokens


class StoredTextAttention:
    """Cross-attention that projects keys and values at its first call and stores them.

    The original weights project them. Later calls ignore the text that they are given, so a
    processor serves one batch of prompts. `protected` bool [B, T]: the tokens that stay in full
    precision.
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
            protected = self.protected.to(hidden_states.device)
            projected = attn.to_k(encoder_hidden_states), attn.to_v(encoder_hidden_states)
            bits, per_tensor = self.spec.kv_bits, self.spec.per_tensor
            k, v = (StoredTokens.store(x, protected, bits, per_tensor) for x in projected)
            self.kv = LayerKV(k, v, protected)
        prompt_index = torch.arange(len(hidden_states), device=hidden_states.device)
        out = attend_stored(attn.to_q(hidden_states), self.kv, prompt_index, attn.heads, self.spec)
        return attn.to_out[0](out)


def store_text_(
    unet: Any, spec: AttentionSpec, marks: Tensor, protect: str = TRIGGER_AND_BOS
) -> None:
    """Give every cross-attention of a UNet2DConditionModel a new processor, in place.

    Call it once for each prompt. `marks` [B, T] and `protect` say which tokens stay in full
    precision, as in `protected_tokens`.
    """
    protected, left = protected_tokens(marks, protect), spec.keeping(protect)
    processors = {
        name: StoredTextAttention(left, protected)
        if is_cross_attention(name.removesuffix(".processor"))
        else processor
        for name, processor in unet.attn_processors.items()
    }
    unet.set_attn_processor(processors)
