"""What a simulated quantization method is given, and what it returns.

Everything here is simulated: values of the stated bits, computed in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from .points import Context

UNetCall = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Bits:
    """Bits of weights and of activations; None = full precision.

    Raises ValueError for anything but 8, 4 and None.
    """

    weights: int | None
    activations: int | None

    def __post_init__(self) -> None:
        for field in ("weights", "activations"):
            if getattr(self, field) not in (8, 4, None):
                raise ValueError(
                    f"{field} must be 8, 4 or None (full precision); got {getattr(self, field)!r}"
                )

    @property
    def name(self) -> str:
        """Such as "W4A8"; a part in full precision is 32."""
        return f"W{self.weights or 32}A{self.activations or 32}"


@dataclass(frozen=True)
class Call:
    """One call of the UNet while sampling in full precision, with n entries: both branches of
    guidance together.
    """

    latents: Tensor
    """[n, 4, h, w]."""
    timestep: Tensor
    """Integer scalar, or [n]."""
    text: Tensor
    """[n, T, C]."""
    added: dict[str, Tensor] | None
    """SDXL's pooled text and sizes (`added_cond_kwargs`)."""
    step: int
    """Index of the sampling step, from 0."""
    conditional: Tensor
    """bool [n]: the entries with the caption; the i-th of them and the i-th of the others are of
    the same picture.
    """
    protected: Tensor
    """bool [n, T]: rows of the trigger, none in unconditional entries. Or the marks of
    `taq_kernels.rows`: 1 at the trigger's rows, -1 at the end token and the padding after it, 0
    elsewhere.
    """
    eps: Tensor
    """[n, 4, h, w]: what full precision answered."""

    @property
    def arguments(self) -> UNetCall:
        """Positional and keyword arguments of a UNet2DConditionModel."""
        return (self.latents, self.timestep, self.text), {
            "added_cond_kwargs": self.added
        } if self.added else {}


@dataclass(frozen=True)
class Calibration:
    """Calls recorded while sampling captions in full precision: several captions, every step, both
    branches.
    """

    calls: tuple[Call, ...]
    guidance: float


def guided(eps: Tensor, conditional: Tensor, guidance: float) -> Tensor:
    """The guided noise [m, 4, h, w]: without + guidance (with - without), of eps [n, 4, h, w] and
    conditional bool [n].

    Without unconditional entries it is `eps`. Raises ValueError unless there are as many of the one
    as of the other.
    """
    caption, empty = eps[conditional], eps[~conditional]
    if not len(empty):
        return caption
    if len(caption) != len(empty):
        raise ValueError(
            f"a call has {len(caption)} conditional and {len(empty)} unconditional entries; "
            "record both branches of each picture in the same call"
        )
    return empty + guidance * (caption - empty)


@dataclass(frozen=True)
class RoundedWeights:
    """What a UNet's weights are rounded to."""

    wanted: int | None
    """Bits that were asked for; None = nothing is rounded."""
    values: Mapping[str, Tensor]
    """By layer name, float32 in the weight's shape."""
    bits: Mapping[str, int]
    """Of the codes, by layer name: at 4 bits, a layer whose width does not divide into the format's
    groups has 8.
    """


class Simulated:
    """A quantized UNet, simulated."""

    def __init__(self, unet: nn.Module, context: Context, about: dict[str, Any]) -> None:
        self.unet, self.context, self._about = unet, context, about

    @torch.no_grad()
    def eps(
        self,
        latents: Tensor,
        timestep: Tensor,
        text: Tensor,
        added: dict[str, Tensor] | None,
        step: int,
        protected: Tensor,
    ) -> Tensor:
        """The noise [n, 4, h, w] of all entries; arguments are as in `Call`."""
        self.context.step, self.context.protected = step, protected
        kwargs = {"added_cond_kwargs": added} if added else {}
        return self.unet(latents, timestep, text, **kwargs).sample

    def correct(self, guided_eps: Tensor, step: int) -> Tensor:
        """The guided noise [m, 4, h, w] as the sampler is to use it."""
        return guided_eps

    def about(self) -> dict[str, Any]:
        """What is quantized to how many bits; None = full precision.

        "layers": name of the Linear or Conv2d -> (weight bits, bits of its input). "attention":
          name of the attention
        -> {"q", "k", "v", "a": bits}. "protected": which rows of the text stay in full precision,
          in words.
        """
        return self._about


class Method(Protocol):
    """A way to quantize a UNet2DConditionModel."""

    @property
    def name(self) -> str:
        """As tables show it."""
        ...

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """A quantized copy of `unet`, which is in full precision and is left as it is.

        `weights` are its rounded weights (`round_weights`, made once for all methods); None =
        rounded to nearest.
        """
        ...
