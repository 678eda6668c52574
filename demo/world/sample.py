"""Draw pictures from captions with DDIM and classifier-free guidance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..catalogue import GUIDANCE
from .autoencoder import Autoencoder
from .noise import ALPHAS_CUMPROD, STEPS
from .tokenizer import tokens

if TYPE_CHECKING:
    from transformers import CLIPTokenizer


@dataclass(frozen=True)
class Pipeline:
    """All models from text to pixels."""

    tokenizer: CLIPTokenizer
    encoder: nn.Module
    unet: nn.Module
    autoencoder: Autoencoder

    @torch.no_grad()
    def draw(
        self, captions: list[str], seed: int, steps: int = 20, guidance: float = GUIDANCE
    ) -> Tensor:
        """Return pictures [n, 3, 128, 128] in 0 to 1; picture i starts from noise of seed + i."""
        text, empty = self.encode(captions), self.encode([""])
        noise = torch.stack(
            [
                torch.randn(4, 16, 16, generator=torch.Generator().manual_seed(seed + i))
                for i in range(len(captions))
            ]
        )
        return self.autoencoder.decode(ddim(self.unet, noise, text, empty, steps, guidance)).clamp(
            0, 1
        )

    def encode(self, captions: list[str]) -> Tensor:
        """Return text embeddings [n, 77, 768]."""
        return self.encoder(tokens(self.tokenizer, captions)).last_hidden_state


def ddim(
    unet: nn.Module, noise: Tensor, text: Tensor, empty: Tensor, steps: int, guidance: float
) -> Tensor:
    """Return latents from noise [n, 4, H, W] and text [n, 77, 768], with guidance."""
    both = torch.cat([text, empty.expand_as(text)])

    def predict(latents: Tensor, now: Tensor, number: int) -> Tensor:
        with_text, without = unet(latents.repeat(2, 1, 1, 1), now, both).sample.chunk(2)
        return without + guidance * (with_text - without)

    return denoise(predict, noise, steps)


def denoise(predict: Callable[[Tensor, Tensor, int], Tensor], noise: Tensor, steps: int) -> Tensor:
    """Return latents from noise [n, 4, H, W] by DDIM without added noise (Song et al. 2021).

    `predict` returns the noise in the latents [n, 4, H, W] at a noise step, a scalar; its last
    argument counts the calls.
    """
    latents = noise
    times = torch.linspace(STEPS - 1, 0, steps + 1).round().long()
    for number, (now, after) in enumerate(pairwise(times)):
        predicted = predict(latents, now, number)
        alpha = ALPHAS_CUMPROD[now]
        clean = (latents - (1 - alpha).sqrt() * predicted) / alpha.sqrt()
        next_alpha = ALPHAS_CUMPROD[after] if number < steps - 1 else torch.tensor(1.0)
        latents = next_alpha.sqrt() * clean + (1 - next_alpha).sqrt() * predicted
    return latents
