"""How many bits each part is quantized to: the attention specification and the presets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import torch

from .backends import registry
from .quantizers import QUANTIZERS

ATTENTION_QUANTIZERS = tuple(QUANTIZERS)
"""Names of the quantizers for attention weights, the default first."""
TRIGGER_AND_BOS, ALL, TRIGGER, AS_MEASURED = "trigger + BOS", "all", "trigger", "as measured"
PROTECT = (TRIGGER_AND_BOS, ALL, TRIGGER, "BOS", "EOS", "none", "random rows", AS_MEASURED)
"""What can be protected, the default first.

A prompt without a marked trigger has BOS protected by "trigger + BOS", and nothing by "trigger".
With "all", nothing in cross-attention is quantized. Two choices protect as many tokens as "trigger
+ BOS". "random rows", a control, protects other tokens at random. "as measured" protects, in each
layer, the tokens whose quantization changes the layer's output most
(`attention.token_sensitivity`).
"""


@dataclass(frozen=True)
class AttentionSpec:
    """Bits of queries, of keys and values, and of attention weights; None = not quantized.

    `quantizer` names the quantizer of the attention weights (`quantizers.QUANTIZERS`). Queries,
    keys and values always use the uniform one, because they are signed: the logarithmic quantizer
    would need one more bit for the sign. With `per_tensor`, all tokens of an image or prompt share
    one scale; this is the usual baseline, and a control.

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

    @property
    def quantizes(self) -> bool:
        """Whether anything is quantized."""
        return (self.q_bits, self.kv_bits, self.a_bits) != (None, None, None)

    def keeping(self, protect: str) -> AttentionSpec:
        """The part of this specification that still applies with `protect`.

        If all tokens stay in full precision, nothing is quantized: quantized queries alone would
        cost time and save nothing.
        """
        return replace(self, q_bits=None, kv_bits=None, a_bits=None) if protect == ALL else self


class Precision(NamedTuple):
    """How a device computes the products of a preset, and why.

    "native": in integers of the stated bits. "simulated": in floating point, with values of the
    stated bits. "weight-only": in floating point, with decoded weights; the preset does not
    quantize activations.
    """

    kind: Literal["native", "simulated", "weight-only"]
    why: str


@dataclass(frozen=True)
class Activations:
    """Bits of a layer's input; None = not quantized.

    Each row of the product (a token or a pixel) has its own scale; with `per_tensor`, each batch
    entry has one. Raises ValueError for bits other than 4, 8 and None.
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
        """Whether int8 products, which have a scale for each row, can use these activations."""
        return self.bits == 8 and not self.per_tensor


@dataclass(frozen=True)
class Preset:
    """Bits of weights and activations, and the specification of attention.

    `per_tensor` applies to activations. Raises ValueError for weight bits other than 4 and 8, and
    for activation bits other than 4, 8 and None.
    """

    name: str
    weight_bits: Literal[4, 8]
    act_bits: Literal[4, 8] | None
    attention: AttentionSpec
    per_tensor: bool = False

    def __post_init__(self) -> None:
        if self.weight_bits not in (4, 8):
            raise ValueError(f"weight_bits must be 4 or 8; got {self.weight_bits!r}")
        Activations(self.act_bits)  # raises ValueError for other bits

    @property
    def activations(self) -> Activations:
        """How the layers quantize their input."""
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
            return Precision(
                "simulated",
                f"{why}; {stored}, activations have 8-bit values (W{self.weight_bits} leaves them "
                "as they are)",
            )
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
"""Presets by name; W8 and W4 quantize only weights."""


def as_preset(preset: str | Preset) -> Preset:
    """The preset itself, or the one with this name.

    Raises a ValueError that lists the known names.
    """
    if isinstance(preset, Preset):
        return preset
    if preset not in PRESETS:
        raise ValueError(f"unknown preset {preset!r}; known are {', '.join(PRESETS)}")
    return PRESETS[preset]
