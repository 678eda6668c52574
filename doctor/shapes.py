"""Sizes of the layers of SD 1.5 and SDXL that are checked, the most informative first."""

from __future__ import annotations

from typing import NamedTuple

QUICK_WORK = 2.5e8
"""The most multiplications of a check with `--quick`."""
CPU_WORK = 4e9
"""The most multiplications of a check on a CPU without `--quick`."""
_ATTENTION = 8
"""How many times longer a multiplication in attention takes, because it quantizes probabilities."""


class LinearShape(NamedTuple):
    """A Linear with input [tokens, inputs] and a weight [outputs, inputs]."""

    about: str
    tokens: int
    """Tokens of the whole batch, in which a picture counts twice: with its prompt and without."""
    inputs: int
    outputs: int

    @property
    def work(self) -> float:
        """Multiplications of the layer."""
        return float(self.tokens) * self.inputs * self.outputs

    def __str__(self) -> str:
        return f"{self.about}, {self.tokens} x {self.inputs} -> {self.outputs}"


class ConvShape(NamedTuple):
    """A Conv2d with pixels [batch, inputs, height, width] and a weight [outputs, inputs, kernel,
    kernel].
    """

    about: str
    batch: int
    inputs: int
    outputs: int
    height: int
    width: int
    kernel: int = 3
    stride: int = 1

    @property
    def work(self) -> float:
        """Multiplications of the layer."""
        pixels = self.batch * self.height * self.width / self.stride**2
        return pixels * self.inputs * self.outputs * self.kernel**2

    def __str__(self) -> str:
        how = f"{self.kernel}x{self.kernel}" + (f" stride {self.stride}" if self.stride > 1 else "")
        return (
            f"{self.about}, {how}, {self.batch}x{self.height}x{self.width}, {self.inputs} -> "
            f"{self.outputs}"
        )


class AttentionShape(NamedTuple):
    """Cross-attention of queries [batch, queries, heads * width] to a text of `tokens` tokens."""

    about: str
    batch: int
    queries: int
    heads: int
    width: int
    tokens: int = 77

    @property
    def work(self) -> float:
        """The multiplications of a Linear that take as long as this attention."""
        products = 2.0 * self.batch * self.queries * self.heads * self.width * self.tokens
        return _ATTENTION * products

    def __str__(self) -> str:
        return (
            f"{self.about}, {self.batch}x{self.queries}, {self.heads} heads of {self.width}, "
            f"{self.tokens} rows"
        )


LINEAR = [
    LinearShape("SDXL 1024 px", 2 * 1024, 1280, 10240),
    LinearShape("SDXL 1024 px", 2 * 4096, 640, 640),
    LinearShape("SD1.5 512 px", 2 * 4096, 320, 2560),
    LinearShape("SD1.5 512 px", 2 * 64, 1280, 1280),
    LinearShape("SDXL 1000x1096 px", 2 * 63 * 69, 640, 5120),
    LinearShape("SDXL 2048 px", 2 * 16384, 640, 640),
    LinearShape("SDXL 2048 px", 2 * 4096, 5120, 1280),
    LinearShape("SD1.5 512 px, batch of 4", 8 * 4096, 320, 320),
    LinearShape("SDXL 1024 px", 2 * 1024, 1280, 1280),
    LinearShape("SDXL 1024 px", 2 * 4096, 2560, 640),
    LinearShape("SD1.5 512 px", 2 * 1024, 640, 5120),
    LinearShape("SD1.5 512 px", 2 * 256, 5120, 1280),
    LinearShape("SD1.5 120x136 px", 2 * 17 * 15, 1280, 320),
]
CONV = [
    ConvShape("SDXL 1024 px", 2, 320, 320, 128, 128),
    ConvShape("SDXL 1024 px", 2, 1280, 1280, 32, 32),
    ConvShape("SD1.5 512 px", 2, 640, 640, 32, 32),
    ConvShape("SD1.5 512 px", 2, 320, 320, 64, 64, 1),
    ConvShape("SDXL 1000x1096 px", 2, 640, 640, 69, 63, 3, 2),
    ConvShape("SDXL 2048 px", 2, 320, 320, 256, 256),
    ConvShape("SD1.5 512 px, batch of 4", 8, 320, 320, 64, 64),
    ConvShape("SDXL 1024 px", 2, 960, 320, 128, 128, 1),
    ConvShape("SD1.5 512 px", 2, 2560, 1280, 16, 16),
    ConvShape("SD1.5 512 px", 2, 1280, 1280, 8, 8),
    ConvShape("SD1.5 120x136 px", 2, 320, 320, 17, 15),
    ConvShape("SD1.5 120x136 px", 2, 320, 320, 17, 15, 3, 2),
    ConvShape("SD1.5 120x136 px", 2, 640, 320, 17, 15, 1),
]
ATTENTION = [
    AttentionShape("SDXL 1024 px", 2, 4096, 10, 64),
    AttentionShape("SD1.5 512 px", 2, 4096, 8, 40),
    AttentionShape("SDXL 1024 px", 2, 1024, 20, 64),
    AttentionShape("SD1.5 512 px, long prompt", 2, 1024, 8, 80, 231),
    AttentionShape("SDXL 2048 px", 2, 16384, 10, 64),
    AttentionShape("SD1.5 512 px, batch of 4", 8, 256, 8, 160),
    AttentionShape("SD1.5 120x136 px", 2, 17 * 15, 8, 40),
]
