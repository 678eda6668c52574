"""Inputs and outputs of a UNet in one sampling step with classifier-free guidance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor, nn

GUIDANCE = 7.5
ROWS = 77
_TIMESTEP = 500
_PIXELS_PER_LATENT = 8


@dataclass(frozen=True)
class Inputs:
    """Inputs of a batch of two, the conditional prompt first.

    `pooled` and `sizes` are SDXL's additional conditions.
    """

    latent: Tensor
    """[2, 4, side/8, side/8]: the same latent twice."""
    timestep: Tensor
    text: Tensor
    """[2, 77, dim]"""
    pooled: Tensor | None = None
    sizes: Tensor | None = None

    def to(self, device: torch.device, dtype: torch.dtype) -> Inputs:
        """Return the same inputs on another device and in another dtype; integers keep theirs."""
        moved = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, tensor in moved.items():
            if tensor is not None:
                moved[name] = tensor.to(
                    device, dtype if tensor.is_floating_point() else tensor.dtype
                )
        return Inputs(**moved)


@dataclass(frozen=True)
class Eps:
    """The predicted noise [4, h, w] for each prompt, in float32."""

    cond: Tensor
    uncond: Tensor

    @property
    def guided(self) -> Tensor:
        """Uncond + 7.5 (cond - uncond), which the sampler uses (Ho and Salimans 2022)."""
        return self.uncond + GUIDANCE * (self.cond - self.uncond)


def make_inputs(unet: nn.Module, side: int, seed: int = 0) -> Inputs:
    """Return inputs for a picture of `side` pixels: normal latent and text embeddings from `seed`.

    Text encoders end in a layer norm, so real embeddings have entries of about this size; all
    prompts share the BOS token's. Raises ValueError for a side that is no multiple of 64.
    """
    if side < 64 or side % 64:
        raise ValueError(f"side must be a multiple of 64 pixels; got {side}")
    config: Any = unet.config
    generator = torch.Generator().manual_seed(seed)
    cells = side // _PIXELS_PER_LATENT
    latent = torch.randn(1, config.in_channels, cells, cells, generator=generator).repeat(
        2, 1, 1, 1
    )
    text = torch.randn(2, ROWS, config.cross_attention_dim, generator=generator)
    text[1, 0] = text[0, 0]
    timestep = torch.tensor(_TIMESTEP)
    if config.addition_embed_type is None:
        return Inputs(latent, timestep, text)
    pooled = config.projection_class_embeddings_input_dim - 6 * config.addition_time_embed_dim
    sizes = torch.tensor([[side, side, 0, 0, side, side]] * 2)
    return Inputs(latent, timestep, text, torch.randn(2, pooled, generator=generator), sizes)


def predict(unet: Callable[..., Any], inputs: Inputs) -> Eps:
    """Run one step; return the noise that `unet` predicts for both prompts in one batch."""
    added = None
    if inputs.pooled is not None:
        added = {"text_embeds": inputs.pooled, "time_ids": inputs.sizes}
    with torch.no_grad():
        sample = unet(
            inputs.latent,
            inputs.timestep,
            encoder_hidden_states=inputs.text,
            added_cond_kwargs=added,
        ).sample
    cond, uncond = sample.float()
    return Eps(cond, uncond)


def relative_errors(eps: Eps, reference: Eps) -> dict[str, float]:
    """Return |x - reference| / |reference| in the L2 norm, for "cond", "uncond" and "guided"."""
    return {
        branch: (
            (
                torch.dist(getattr(eps, branch), exact := getattr(reference, branch)) / exact.norm()
            ).item()
        )
        for branch in ("cond", "uncond", "guided")
    }
