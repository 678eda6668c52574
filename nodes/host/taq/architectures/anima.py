"""Anima's transformer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from comfy.ldm.anima.model import Anima
from torch import Tensor

from ..step import KEY, Step, attended, project_with
from .architecture import Architecture


def forward(attn, name: str, x, context=None, rope_emb=None, transformer_options=None):
    """Replace `Attention.forward` of the cross-attention `attn`: x [B, N, C], context
    [B, T, width].

    A patch of another pack may change its inputs: then the layer runs the host's own code.
    """
    options = transformer_options or {}
    step: Step | None = options.get(KEY)
    if step is None or "attn2_patch" in options.get("patches", {}):
        return type(attn).forward(attn, x, context, rope_emb, options)
    q = _normed(attn, attn.q_norm, attn.q_proj(x))
    project = partial(_project, attn)
    out = attended(step, name, q, attn.n_heads, (context, context), project, options)
    return attn.output_dropout(attn.output_proj(out))


def _project(attn, of_keys: Tensor, of_values: Tensor, once: bool) -> tuple[Tensor, Tensor]:
    keys = _normed(attn, attn.k_norm, project_with(attn.k_proj, of_keys, once))
    return keys, _normed(attn, attn.v_norm, project_with(attn.v_proj, of_values, once))


def _normed(attn, norm, x: Tensor) -> Tensor:
    """`x` [B, L, C] with each head normed."""
    return norm(x.unflatten(-1, (attn.n_heads, attn.head_dim))).flatten(-2)


def inputs(config: Mapping[str, Any], side: int, tokens: int) -> dict[str, Any]:
    """Arguments of one call (`Architecture.inputs`)."""
    return {
        "x": torch.empty(1, config["in_channels"], 1, side, side),
        "timesteps": torch.empty(1),
        "context": torch.empty(1, tokens, config["crossattn_emb_channels"]),
    }


ARCHITECTURE = Architecture(Anima, forward, inputs)
