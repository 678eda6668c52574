"""What every table draws with: a UNet, its text encoding, and its decoding into pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

AddedConditions = dict[str, Tensor] | None
"""SDXL's pooled text and sizes, by diffusers' names (`added_cond_kwargs`)."""


@dataclass(frozen=True)
class Encoded:
    """Prompts as the UNet gets them."""

    rows: Tensor
    """Text embeddings [n, T, C]."""
    marks: Tensor
    """[n, T]: 1 at the trigger's tokens, -1 at the end token and all after it, else 0.

    Token 0 is BOS.
    """
    added: AddedConditions = None

    def repeated(self, count: int) -> Encoded:
        """Return the one prompt `count` times."""
        added = self.added and {name: value.expand(count, -1) for name, value in self.added.items()}
        return Encoded(self.rows.expand(count, -1, -1), self.marks.expand(count, -1), added)

    def part(self, chosen: slice) -> Encoded:
        """Return the chosen entries."""
        added = self.added and {name: value[chosen] for name, value in self.added.items()}
        return Encoded(self.rows[chosen], self.marks[chosen], added)


def joined(first: Encoded, second: Encoded) -> Encoded:
    """Return the entries of both."""
    added = (
        first.added
        and second.added
        and {k: torch.cat([v, second.added[k]]) for k, v in first.added.items()}
    )
    return Encoded(
        torch.cat([first.rows, second.rows]), torch.cat([first.marks, second.marks]), added
    )


@dataclass(frozen=True)
class Case:
    """A picture to draw."""

    prompt: str
    seed: int
    """Seed of its noise."""
    shows: dict[str, str] = field(default_factory=dict)
    """What a judge should see: label ("subject", "colour", "environment") -> value."""


@dataclass(frozen=True)
class Subject:
    """A model in full precision, with which pictures are drawn."""

    name: str
    trigger: str
    """Empty for a model without one."""
    noun: str
    """The class word."""
    unet: nn.Module
    """A UNet2DConditionModel in float32."""
    encode: Callable[[Sequence[str]], Encoded]
    decode: Callable[[Tensor], Tensor]
    """Latents [n, 4, h, w] to pictures [n, 3, H, W] in 0 to 1."""
    latent: tuple[int, int, int]
    """Shape of one latent."""
    steps: int
    guidance: float
    """With 1 or less, the UNet is called with the prompt alone."""
    batch: int = 8
    """Number of pictures drawn at once."""

    @property
    def device(self) -> torch.device:
        """The device of the UNet's weights."""
        return next(self.unet.parameters()).device

    def noise(self, cases: Sequence[Case]) -> Tensor:
        """Return noise [n, 4, h, w], each from its own seed.

        So a picture does not depend on the others in its batch.
        """
        return torch.stack(
            [
                torch.randn(self.latent, generator=torch.Generator().manual_seed(c.seed))
                for c in cases
            ]
        )
