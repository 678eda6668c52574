"""Points of a network where activations are quantized, and the context that they share."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Protocol, Self

from torch import Tensor


class Quantizer(Protocol):
    """Quantizes the activations at one point to values of the stated bits.

    x is [B, ..., C], channels last.
    """

    bits: int
    static: bool
    """Whether it must see calibration data first."""

    @property
    def kind(self) -> Hashable:
        """What it finds in calibration data depends on this, and not on `bits`."""
        ...

    def at(self, bits: int) -> Self:
        """Return the same quantizer, with all that it has found, at other bits."""
        ...

    def see(self, x: Tensor, step: int) -> None:
        """Record calibration data of sampling step `step`."""
        ...

    def finish(self) -> None:
        """Called after all calibration data has been seen."""
        ...

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """Return the quantized values, in the shape of `x`."""
        ...


@dataclass
class Context:
    """The current call, shared by all points of a simulated UNet."""

    step: int = 0
    protected: Tensor | None = None
    """The trigger's tokens, or token marks, [n, T] as in `Call`."""
    recording: bool = False
    """During calibration, points record their data and return it unchanged."""
    points: list[Point] = field(default_factory=list)

    def point(self, name: str, quantizer: Quantizer) -> Point:
        """Return a new point that uses this context."""
        self.points.append(Point(name, quantizer, self))
        return self.points[-1]


@dataclass(eq=False)
class Point:
    """A place where activations are quantized."""

    name: str
    quantizer: Quantizer
    context: Context = field(repr=False)
    seen: bool = False

    def __call__(self, x: Tensor) -> Tensor:
        """Quantize x [B, ..., C], channels last.

        While recording, x is returned unchanged. Raises ValueError where a static quantizer has
        seen no calibration data.
        """
        if self.context.recording:
            self.seen = True
            self.quantizer.see(x, self.context.step)
            return x
        if self.quantizer.static and not self.seen:
            raise ValueError(
                f"no calibration call ran {self.name}; calibrate with calls that run every layer"
            )
        return self.quantizer(x, self.context.step)
