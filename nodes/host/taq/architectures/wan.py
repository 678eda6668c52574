"""The transformer of Wan 2.1 and 2.2."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from comfy.ldm.modules.attention import optimized_attention
from comfy.ldm.wan.model import WanModel
from torch import Tensor, nn

from ..step import KEY, Step, attended, project_with
from .architecture import Architecture


def forward(attn, name: str, x, context, context_img_len=None, transformer_options=None, **others):
    """Replace the forward of the cross-attention `attn`: x [B, N, C], context [B, T, C].

    Models that read a picture have the tokens of the picture before those of the text, and keys and
    values of their own for them, which the host's own attention runs on.
    """
    options = transformer_options or {}
    step: Step | None = options.get(KEY)
    if step is None:
        return type(attn).forward(
            attn,
            x,
            context,
            context_img_len=context_img_len,
            transformer_options=options,
            **others,
        )
    picture = None
    if hasattr(attn, "k_img"):
        picture, context = context[:, :context_img_len], context[:, context_img_len:]
    q = attn.norm_q(attn.q(x))
    project = partial(_project, attn)
    out = attended(step, name, q, attn.num_heads, (context, context), project, options)
    if picture is not None:
        k, v = attn.norm_k_img(attn.k_img(picture)), attn.v_img(picture)
        out = out + optimized_attention(
            q,
            k,
            v,
            heads=attn.num_heads,
            transformer_options=options,
            low_precision_attention=False,
        )
    return attn.o(out)


def _project(attn, of_keys: Tensor, of_values: Tensor, once: bool) -> tuple[Tensor, Tensor]:
    keys = attn.norm_k(project_with(attn.k, of_keys, once))
    return keys, project_with(attn.v, of_values, once)


def text(model: nn.Module, context: Tensor) -> Tensor:
    """The text after the layers that make it as wide as the transformer.

    They cache it (`operations.TextLinear`), so that the model's own call returns the same tensor.
    """
    embedding: Any = model.text_embedding
    return embedding(context)


def prepare(model: nn.Module) -> None:
    """Run the layers of each feed-forward one after the other.

    The host's own class takes the weight of the last one out of its layer, which leaves out LoRAs
    that run beside it, and the bits that the preset gives its input.
    """
    for block in model.blocks:  # type: ignore[union-attr]
        block.ffn.__class__ = nn.Sequential


def inputs(config: Mapping[str, Any], side: int, tokens: int) -> dict[str, Any]:
    """Arguments of one call (`Architecture.inputs`)."""
    return {
        "x": torch.empty(1, config["in_dim"], 1, side, side),
        "timestep": torch.empty(1),
        "context": torch.empty(1, tokens, 4096),
        "clip_fea": torch.empty(1, 257, 1280) if config["model_type"] == "i2v" else None,
    }


ARCHITECTURE = Architecture(WanModel, forward, inputs, text, prepare)
