"""What every table draws with: a UNet and all from words to its rows and from its latents to
pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

AddedConditions = dict[str, Tensor] | None
"""SDXL's pooled text and sizes, as diffusers calls them (`added_cond_kwargs`)."""


@dataclass(frozen=True)
class Encoded:
    """Prompts as the UNet is given them."""

    rows: Tensor
    """[n, T, C]."""
    marks: Tensor
    """[n, T]: 1 at the rows of the trigger, -1 at the end token and all after it, 0 elsewhere; row
    0 is BOS.
    """
    added: AddedConditions = None

    def repeated(self, count: int) -> Encoded:
        """The one prompt `count` times."""
        added = self.added and {name: value.expand(count, -1) for name, value in self.added.items()}
        return Encoded(self.rows.expand(count, -1, -1), self.marks.expand(count, -1), added)

    def part(self, chosen: slice) -> Encoded:
        """The chosen entries."""
        added = self.added and {name: value[chosen] for name, value in self.added.items()}
        return Encoded(self.rows[chosen], self.marks[chosen], added)


def joined(first: Encoded, second: Encoded) -> Encoded:
    """The entries of both."""
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
    """One picture that is asked for."""

    prompt: str
    seed: int
    """Of its noise."""
    shows: dict[str, str] = field(default_factory=dict)
    """What a judge should see: label ("subject", "colour", "environment") -> its value."""


@dataclass(frozen=True)
class Subject:
    """One model that pictures are drawn with, in full precision."""

    name: str
    trigger: str
    """Empty for a model that has none."""
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
    """1 or less: the UNet is called with the prompt alone."""
    batch: int = 8
    """Pictures that are drawn at once."""

    @property
    def device(self) -> torch.device:
        """The device of the UNet's weights."""
        return next(self.unet.parameters()).device

    def noise(self, cases: Sequence[Case]) -> Tensor:
        """[n, 4, h, w], each from its own seed, so that a picture does not depend on what it is
        drawn with.
        """
        return torch.stack(
            [
                torch.randn(self.latent, generator=torch.Generator().manual_seed(c.seed))
                for c in cases
            ]
        )
