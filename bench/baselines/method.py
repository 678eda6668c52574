"""Input and output of a simulated quantization method.

Everything here is simulated: values of the stated bits, computed in float32.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from ...taq_kernels.layouts.formats import layout_of
from .points import Context
from .ranges import Ranges

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
        """Name such as "W4A8"; a part in full precision is 32."""
        return f"W{self.weights or 32}A{self.activations or 32}"


@dataclass(frozen=True)
class Call:
    """One call of the UNet while sampling in full precision.

    It has n entries, with both branches of guidance together.
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
    """bool [n]: the entries with the caption.

    The i-th of them and the i-th of the others belong to the same picture.
    """
    protected: Tensor
    """bool [n, T]: the trigger's tokens; none in unconditional entries.

    Or the marks that `taq_kernels.protected_tokens` takes: 1 at the trigger's tokens, -1 at the end
    token and the padding after it, 0 elsewhere.
    """
    eps: Tensor
    """[n, 4, h, w]: the noise that full precision predicted."""

    @property
    def arguments(self) -> UNetCall:
        """Positional and keyword arguments for a UNet2DConditionModel."""
        return (self.latents, self.timestep, self.text), {
            "added_cond_kwargs": self.added
        } if self.added else {}

    def pictures(self) -> list[UNetCall]:
        """Return the arguments of a call for each picture, with both branches of its guidance.

        Raises ValueError for unconditional entries that are not as many as the conditional ones.
        """
        caption, empty = (
            torch.nonzero(branch)[:, 0] for branch in (self.conditional, ~self.conditional)
        )
        pairs = zip(caption, empty, strict=True) if len(empty) else ((one,) for one in caption)
        return [self._part(torch.stack(pair)).arguments for pair in pairs]

    def _part(self, entries: Tensor) -> Call:
        """Return the call with some of its entries."""
        added = self.added and {name: value[entries] for name, value in self.added.items()}
        return Call(
            self.latents[entries],
            self.timestep if self.timestep.dim() == 0 else self.timestep[entries],
            self.text[entries],
            added,
            self.step,
            self.conditional[entries],
            self.protected[entries],
            self.eps[entries],
        )


@dataclass(frozen=True)
class Calibration:
    """Calls recorded while sampling captions in full precision.

    They are of several captions, every step and both branches.
    """

    calls: tuple[Call, ...]
    guidance: float
    ranges: Ranges = dataclasses.field(default_factory=Ranges, init=False, compare=False)
    """What methods found in the calls, for the same methods at other bits of activations."""


def guided(eps: Tensor, conditional: Tensor, guidance: float) -> Tensor:
    """Return the guided noise [m, 4, h, w]: without + guidance (with - without).

    `eps` is [n, 4, h, w], `conditional` bool [n]. Without unconditional entries the result is
    `eps`. Raises ValueError unless there are as many conditional as unconditional entries.
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
    """The rounded weights of a UNet."""

    wanted: int | None
    """Requested bits; None = nothing is rounded."""
    stored: Mapping[str, QuantizedTensor]
    """Layer name -> the weight as `taq_kernels` stores it.

    At 4 bits, a layer whose width does not divide into the format's groups has 8.
    """
    values: Mapping[str, Tensor] = dataclasses.field(init=False)
    """Layer name -> its float32 values in the weight's shape."""
    bits: Mapping[str, int] = dataclasses.field(init=False)
    """Layer name -> bits of the codes."""

    def __post_init__(self) -> None:
        found = self.stored.items()
        object.__setattr__(self, "values", {name: one.dequantize() for name, one in found})
        object.__setattr__(self, "bits", {name: layout_of(one).bits for name, one in found})


class Simulated:
    """A simulated quantized UNet."""

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
        """Return the noise [n, 4, h, w] of all entries; arguments are as in `Call`."""
        self.context.step, self.context.protected = step, protected
        kwargs = {"added_cond_kwargs": added} if added else {}
        return self.unet(latents, timestep, text, **kwargs).sample

    def correct(self, guided_eps: Tensor, step: int) -> Tensor:
        """Return the guided noise [m, 4, h, w] as the sampler should use it."""
        return guided_eps

    def about(self) -> dict[str, Any]:
        """Say what is quantized to how many bits; None = full precision.

        - "layers": name of the Linear or Conv2d -> (weight bits, bits of its input).
        - "attention": name of the attention -> {"q", "k", "v", "a": bits}.
        - "protected": which tokens of the text stay in full precision, in words.
        """
        return self._about


class Method(Protocol):
    """A way to quantize a UNet2DConditionModel."""

    @property
    def name(self) -> str:
        """Name in tables."""
        ...

    def quantize(
        self,
        unet: nn.Module,
        calibration: Calibration,
        bits: Bits,
        weights: RoundedWeights | None = None,
    ) -> Simulated:
        """Return a quantized copy of `unet`, which is in full precision and stays unchanged.

        `weights` are its rounded weights (`round_weights`, made once for all methods); None =
        rounded to nearest.
        """
        ...
