"""Points of a network where activations are quantized, and what they all know of the call that is
running.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from torch import Tensor


class Quantizer(Protocol):
    """Quantizes the activations at one point: x [B, ..., C], channels last, to values of the stated
    bits.
    """

    bits: int
    static: bool
    """Whether it has to see calibration data first."""

    def see(self, x: Tensor, step: int) -> None:
        """Take note of calibration data of sampling step `step`."""
        ...

    def finish(self) -> None:
        """All calibration data has been seen."""
        ...

    def __call__(self, x: Tensor, step: int) -> Tensor:
        """The quantized values, in the shape of `x`."""
        ...


@dataclass
class Context:
    """The call that is running, shared by all points of a simulated UNet."""

    step: int = 0
    protected: Tensor | None = None
    """Rows of the trigger, or row marks, [n, T]."""
    recording: bool = False
    """Calibration: points take note of what passes and leave it as it is."""
    points: list[Point] = field(default_factory=list)

    def point(self, name: str, quantizer: Quantizer) -> Point:
        """A new point that follows this context."""
        self.points.append(Point(name, quantizer, self))
        return self.points[-1]


@dataclass(eq=False)
class Point:
    """One place where activations are quantized."""

    name: str
    quantizer: Quantizer
    context: Context = field(repr=False)
    seen: bool = False

    def __call__(self, x: Tensor) -> Tensor:
        """X [B, ..., C], channels last.

        Raises ValueError where a static quantizer has seen no calibration data.
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
