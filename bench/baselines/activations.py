"""Quantizers of activations: dynamic scales for each row, or ranges from calibration."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from copy import copy
from typing import Self

import torch
from torch import Tensor

from ...taq_kernels.activations import simulated
from ...taq_kernels.spec import Activations
from .points import Quantizer

MOMENTUM = 0.95
"""Momentum of the running minimum and maximum, as published for Q-Diffusion and TFMQ-DM."""


def quantize_in_range(x: Tensor, low: Tensor, high: Tensor, bits: int) -> Tensor:
    """Return x_hat = s (q - z), q = clip(round(x/s) + z, 0, 2^b - 1).

    s and z follow from `low` and `high`, which broadcast. As in `taq_kernels.quantizers`, the range
    is widened to contain 0, so that 0 is exact.
    """
    levels = 2**bits - 1
    low, high = low.clamp(max=0), high.clamp(min=0)
    scale = (high - low) / levels
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    zero = torch.round(-low / scale)
    return ((torch.round(x / scale) + zero).clamp_(0, levels) - zero) * scale


class OfAnyBits:
    """The part of a `Quantizer` whose state has nothing to do with its bits."""

    bits: int

    @property
    def kind(self) -> Hashable:
        """The name of its class."""
        return type(self).__name__

    def at(self, bits: int) -> Self:
        """As `Quantizer.at`."""
        other = copy(self)
        other.bits = bits
        return other


class Uncalibrated(OfAnyBits):
    """The part of a `Quantizer` that needs no calibration data."""

    static = False

    def see(self, x: Tensor, step: int) -> None:
        """Ignore calibration data."""

    def finish(self) -> None:
        """Do nothing."""


class Dynamic(Uncalibrated):
    """What TAQ's layers do: a scale from the data for each row (the last dimension) or entry."""

    def __init__(self, bits: int, per_tensor: bool = False) -> None:
        self.bits, self._per_tensor = bits, per_tensor

    @property
    def activations(self) -> Activations:
        """What `taq_kernels` calls it."""
        return Activations(self.bits, self._per_tensor)

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """Quantize x with the scales of its own rows or entries."""
        return simulated(x, self.activations)


class MinMax(OfAnyBits):
    """One static range for the whole tensor: running minimum and maximum of calibration data.

    The first 20 calls count alike: with the published momentum, a range from few calls would be
    nearly that of the first.
    """

    static = True

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._seen = 0
        self._low = self._high = torch.zeros(())

    def see(self, x: Tensor, step: int) -> None:
        """Update the running range with x."""
        low, high = x.aminmax()
        self._seen += 1
        momentum = min(MOMENTUM, 1 - 1 / self._seen)
        self._low, self._high = (
            low.lerp(self._low.to(low), momentum),
            high.lerp(self._high.to(high), momentum),
        )

    def finish(self) -> None:
        """Do nothing: the range is always up to date."""

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """Quantize x in the range from calibration."""
        return quantize_in_range(x, self._low, self._high, self.bits)


class PerStep:
    """A separate quantizer for each sampling step.

    Raises ValueError for a step that calibration did not have.
    """

    def __init__(self, make: Callable[[], Quantizer]) -> None:
        self._make = make
        self._of_step: dict[int, Quantizer] = {}
        example = make()
        self.bits, self.static, self._kind = example.bits, example.static, example.kind

    @property
    def kind(self) -> Hashable:
        """Its class, and the kind of its quantizers."""
        return PerStep, self._kind

    def at(self, bits: int) -> PerStep:
        """As `Quantizer.at`."""
        other = PerStep(lambda: self._make().at(bits))
        other._of_step = {step: own.at(bits) for step, own in self._of_step.items()}
        return other

    def see(self, x: Tensor, step: int) -> None:
        """Pass x to the quantizer of its step."""
        if step not in self._of_step:
            self._of_step[step] = self._make()
        self._of_step[step].see(x, step)

    def finish(self) -> None:
        """Finish the quantizers of all steps."""
        for quantizer in self._of_step.values():
            quantizer.finish()

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """Quantize x with the quantizer of its step."""
        if step not in self._of_step:
            raise ValueError(
                f"calibration had no sampling step {step} (its steps: {sorted(self._of_step)}); "
                "record it with the steps that are sampled"
            )
        return self._of_step[step](x, step)


class Split:
    """Two quantizers: one for the channels before `at`, one for the others.

    For inputs that are concatenated from two sources.
    """

    def __init__(self, at: int, first: Quantizer, second: Quantizer) -> None:
        self._at, self._first, self._second = at, first, second
        self.bits, self.static = first.bits, first.static

    @property
    def kind(self) -> Hashable:
        """Its class, where it splits, and the kinds of both quantizers."""
        return Split, self._at, self._first.kind, self._second.kind

    def at(self, bits: int) -> Split:
        """As `Quantizer.at`."""
        return Split(self._at, self._first.at(bits), self._second.at(bits))

    def see(self, x: Tensor, step: int) -> None:
        """Pass each part of x to its quantizer."""
        self._first.see(x[..., : self._at], step)
        self._second.see(x[..., self._at :], step)

    def finish(self) -> None:
        """Finish both quantizers."""
        self._first.finish()
        self._second.finish()

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """Quantize each part of x with its quantizer."""
        return torch.cat(
            (self._first(x[..., : self._at], step), self._second(x[..., self._at :], step)), dim=-1
        )
