"""Sample with a quantized model, or in the same way with full precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from ...demo.world.sample import denoise
from ..baselines.method import Call, guided
from .subject import AddedConditions, Encoded, Subject, joined

Watch = Callable[[Call], None]
"""Called with every call of the UNet."""


class Denoiser(Protocol):
    """`baselines.method.Simulated`, or the UNet itself."""

    def eps(
        self,
        latents: Tensor,
        timestep: Tensor,
        text: Tensor,
        added: AddedConditions,
        step: int,
        protected: Tensor,
    ) -> Tensor:
        """Return the predicted noise [B, 4, h, w] of latents [B, 4, h, w], given text [B, T, C].

        `step` counts the sampling steps; `protected` [B, T] marks tokens as `Encoded.marks` does.
        """
        ...

    def correct(self, guided_eps: Tensor, step: int) -> Tensor:
        """Return the guided noise as the sampler uses it, in the same shape."""
        ...


@dataclass(frozen=True)
class FullPrecision:
    """A UNet in full precision."""

    unet: nn.Module

    def eps(
        self,
        latents: Tensor,
        timestep: Tensor,
        text: Tensor,
        added: AddedConditions,
        step: int,
        protected: Tensor,
    ) -> Tensor:
        """As `Denoiser.eps`; all tokens are treated alike."""
        return self.unet(
            latents, timestep, text, **({"added_cond_kwargs": added} if added else {})
        ).sample

    def correct(self, guided_eps: Tensor, step: int) -> Tensor:
        """Return the noise unchanged."""
        return guided_eps


@torch.no_grad()
def draw(
    subject: Subject,
    model: Denoiser,
    prompts: Encoded,
    empty: Encoded,
    noise: Tensor,
    watch: Watch | None = None,
) -> Tensor:
    """Draw pictures [n, 3, H, W] in 0 to 1 of the prompts, from noise [n, 4, h, w].

    `empty` is one encoded empty prompt: the other branch of guidance, in the same batch as the
    prompts.
    """
    noise = noise.to(subject.device)
    parts = [slice(start, start + subject.batch) for start in range(0, len(noise), subject.batch)]
    return torch.cat(
        [
            subject.decode(latents(subject, model, prompts.part(p), empty, noise[p], watch))
            .clamp(0, 1)
            .cpu()
            for p in parts
        ]
    )


@torch.no_grad()
def latents(
    subject: Subject,
    model: Denoiser,
    prompts: Encoded,
    empty: Encoded,
    noise: Tensor,
    watch: Watch | None = None,
) -> Tensor:
    """Return the latents [n, 4, h, w] from DDIM (`world.sample.denoise`), all in one batch."""
    count = len(noise)
    branches = joined(prompts, empty.repeated(count)) if subject.guidance > 1 else prompts
    conditional = torch.arange(len(branches.rows), device=noise.device) < count

    def predict(now: Tensor, timestep: Tensor, step: int) -> Tensor:
        both = now.repeat(len(branches.rows) // count, 1, 1, 1)
        eps = model.eps(both, timestep, branches.rows, branches.added, step, branches.marks)
        if watch:
            watch(
                Call(
                    both,
                    timestep,
                    branches.rows,
                    branches.added,
                    step,
                    conditional,
                    branches.marks,
                    eps,
                )
            )
        return model.correct(guided(eps, conditional, subject.guidance), step)

    return denoise(predict, noise, subject.steps)
