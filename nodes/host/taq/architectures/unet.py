"""The UNet of Stable Diffusion 1.5 and SDXL."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from comfy.ldm.modules.attention import GEGLU
from comfy.ldm.modules.diffusionmodules.openaimodel import ResBlock, UNetModel
from torch import Tensor, nn

from ..gated import Gated
from ..normed_conv import NormedConv
from ..step import KEY, Step, attended, project_with
from .architecture import Architecture


def forward(attn, name: str, x, context=None, value=None, mask=None, transformer_options=None):
    """Replace `CrossAttention.forward` of the module `attn`: x [B, N, C], context [B, T, width].

    With an attention mask, which our equations do not have, the layer runs the host's own code.
    """
    options = transformer_options or {}
    step: Step | None = options.get(KEY)
    if step is None or mask is not None:
        return type(attn).forward(attn, x, context, value, mask, options)
    out = attended(
        step,
        name,
        attn.to_q(x),
        attn.heads,
        (context, context if value is None else value),
        partial(_project, attn),
        options,
        attn_precision=attn.attn_precision,
    )
    return attn.to_out(out)


def _project(attn, of_keys: Tensor, of_values: Tensor, once: bool) -> tuple[Tensor, Tensor]:
    return project_with(attn.to_k, of_keys, once), project_with(attn.to_v, of_values, once)


def prepare(model: nn.Module) -> None:
    """Let norm, SiLU and convolution of residual blocks run as one, and the gated GELU of
    feed-forwards.
    """
    for block in model.modules():
        if isinstance(block, ResBlock):
            block.in_layers.__class__ = block.out_layers.__class__ = NormedConv
        elif type(block) is GEGLU:
            block.__class__ = Gated


def inputs(config: Mapping[str, Any], side: int, tokens: int) -> dict[str, Any]:
    """Arguments of one call (`Architecture.inputs`)."""
    adm = config.get("adm_in_channels")
    return {
        "x": torch.empty(1, config["in_channels"], side, side),
        "timesteps": torch.empty(1),
        "context": torch.empty(1, tokens, config["context_dim"]),
        "y": torch.empty(1, adm) if adm else None,
    }


ARCHITECTURE = Architecture(
    UNetModel, forward, inputs, prepare=prepare, subclasses=True, calibrates=True
)
