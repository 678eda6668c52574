"""What is quantized to how many bits: the attention specification and the presets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import torch

from .backends import registry
from .quantizers import QUANTIZERS

ATTENTION_QUANTIZERS = tuple(QUANTIZERS)
"""Names of the quantizers of attention weights, the default first."""
ALL, AS_MEASURED = "all", "as measured"
PROTECT = (ALL, "trigger + BOS", "trigger", "BOS", "EOS", "none", "random rows", AS_MEASURED)
"""What can be protected; the first measures best (bench/RESULTS.md).

"random rows" is a control: as many tokens as "trigger + BOS" protects, all of them others. "as
measured" protects that number too: those to whose quantization each layer is most sensitive
(`attention.token_sensitivity`).
"""


@dataclass(frozen=True)
class AttentionSpec:
    """Bits of the queries, of the keys and values, and of the attention weights; None = not
    quantized.

    `quantizer` names the one of the attention weights (`quantizers.QUANTIZERS`). Queries, keys and
    values are signed, so they always take the uniform one: the logarithmic quantizer would need one
    more bit for the sign. `per_tensor` gives every image and prompt one scale for all its tokens
    instead of one for each: the usual baseline, and a control.

    Raises ValueError for bits outside 2..8 or an unknown quantizer.
    """

    q_bits: int | None = None
    kv_bits: int | None = None
    a_bits: int | None = None
    quantizer: str = ATTENTION_QUANTIZERS[0]
    per_tensor: bool = False

    def __post_init__(self) -> None:
        for field in ("q_bits", "kv_bits", "a_bits"):
            bits = getattr(self, field)
            if bits is not None and (
                isinstance(bits, bool) or not isinstance(bits, int) or not 2 <= bits <= 8
            ):
                raise ValueError(
                    f"{field} must be an integer from 2 to 8, or None for not quantized; got "
                    f"{bits!r}"
                )
        if self.quantizer not in QUANTIZERS:
            raise ValueError(
                f"quantizer must be one of {', '.join(ATTENTION_QUANTIZERS)}; got "
                f"{self.quantizer!r}"
            )

    def keeping(self, protect: str) -> AttentionSpec:
        """What is left to quantize where `protect` says which tokens stay in full precision: the
        queries alone where all do.
        """
        return replace(self, kv_bits=None, a_bits=None) if protect == ALL else self


class Precision(NamedTuple):
    """How a device computes the products of a preset, and why.

    "native": in integers of the stated bits. "simulated": on values of the stated bits, in floating
    point. "weight-only": weights are decoded to floating point, activations are not quantized.
    """

    kind: Literal["native", "simulated", "weight-only"]
    why: str


@dataclass(frozen=True)
class Activations:
    """Bits of what flows into a layer (None = not quantized), with a scale for each row of the
    product (each token, each pixel) or, with `per_tensor`, one for the whole tensor.

    Raises ValueError for other bits than 4, 8 and None.
    """

    bits: int | None = 8
    per_tensor: bool = False

    def __post_init__(self) -> None:
        if self.bits not in (4, 8, None):
            raise ValueError(
                f"act_bits must be 8, 4 or None (weights alone are quantized); got {self.bits!r}"
            )

    @property
    def int8_rows(self) -> bool:
        """Whether int8 products, which have a scale for each row, compute this."""
        return self.bits == 8 and not self.per_tensor


@dataclass(frozen=True)
class Preset:
    """Bits of the weights and of the activations that meet them, and the attention's own
    specification.

    `per_tensor` concerns activations. Raises ValueError for weight bits other than 4 and 8,
    activation bits other than 4, 8 and None.
    """

    name: str
    weight_bits: Literal[4, 8]
    act_bits: Literal[4, 8] | None
    attention: AttentionSpec
    per_tensor: bool = False

    def __post_init__(self) -> None:
        if self.weight_bits not in (4, 8):
            raise ValueError(f"weight_bits must be 4 or 8; got {self.weight_bits!r}")
        Activations(self.act_bits)  # refuses other bits

    @property
    def activations(self) -> Activations:
        """What the layers do with their input."""
        return Activations(self.act_bits, self.per_tensor)

    def precision(self, device: torch.device | str) -> Precision:
        """How Linear and Conv2d products of this preset are computed on `device`."""
        stored = f"weights are stored in {self.weight_bits} bits and decoded to float"
        if self.act_bits is None:
            return Precision("weight-only", f"{stored}; activations are not quantized")
        if not self.activations.int8_rows:
            what = (
                "one scale for a whole tensor"
                if self.act_bits == 8
                else f"{self.act_bits}-bit activations"
            )
            return Precision("simulated", f"no product here computes with {what}; {stored}")
        name, why = registry.int8_products(registry.machine(device))
        if name == registry.FLOAT:
            return Precision("weight-only", f"{why}; {stored}, activations are not quantized")
        decoded = "4-bit weights are decoded to int8; " if self.weight_bits == 4 else ""
        return Precision("native", f"{decoded}{why}")


_EIGHT, _FOUR = (
    AttentionSpec(q_bits=8, kv_bits=8, a_bits=8),
    AttentionSpec(q_bits=4, kv_bits=4, a_bits=4),
)

PRESETS = {
    "W8A8": Preset("W8A8", 8, 8, _EIGHT),
    "W4A8": Preset("W4A8", 4, 8, _EIGHT),
    "W8A4": Preset("W8A4", 8, 4, _FOUR),
    "W4A4": Preset("W4A4", 4, 4, _FOUR),
    "W8": Preset("W8", 8, None, AttentionSpec()),
    "W4": Preset("W4", 4, None, AttentionSpec()),
}
"""By name; W8 and W4 quantize weights alone."""


def as_preset(preset: str | Preset) -> Preset:
    """The preset itself, or the one of that name. Raises ValueError with the known names."""
    if isinstance(preset, Preset):
        return preset
    if preset not in PRESETS:
        raise ValueError(f"unknown preset {preset!r}; known are {', '.join(PRESETS)}")
    return PRESETS[preset]
