"""What is quantized to how many bits: the attention specification and the presets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch

ATTENTION_QUANTIZERS = ("uniform", "log")
INT8_MIN_CAPABILITY = (7, 5)
"""CUDA compute capability from which tensor cores multiply int8 (Turing)."""


@dataclass(frozen=True)
class AttentionSpec:
    """Bits of the query rows, the key and value rows, and the attention weights; None = not quantized.

    `quantizer` is the one of the attention weights. Queries, keys and values are signed, so they always take the
    uniform one: the logarithmic quantizer would need one more bit for the sign.

    Raises ValueError for bits outside 2..8 or an unknown quantizer.
    """

    q_bits: int | None = None
    kv_bits: int | None = None
    a_bits: int | None = None
    quantizer: Literal["uniform", "log"] = "uniform"

    def __post_init__(self) -> None:
        for field in ("q_bits", "kv_bits", "a_bits"):
            bits = getattr(self, field)
            if bits is not None and (isinstance(bits, bool) or not isinstance(bits, int) or not 2 <= bits <= 8):
                raise ValueError(f"{field} must be an integer from 2 to 8, or None for not quantized; got {bits!r}")
        if self.quantizer not in ATTENTION_QUANTIZERS:
            raise ValueError(f"quantizer must be one of {', '.join(ATTENTION_QUANTIZERS)}; got {self.quantizer!r}")


class Precision(NamedTuple):
    """Whether the products of a preset run in integers on a device ("native") or not ("simulated"), and why."""

    kind: Literal["native", "simulated"]
    why: str


@dataclass(frozen=True)
class Preset:
    """Bits of the weights and of the activations that meet them, and the attention's own specification."""

    name: str
    weight_bits: Literal[4, 8]
    act_bits: Literal[8]
    attention: AttentionSpec

    def __post_init__(self) -> None:
        if self.weight_bits not in (4, 8):
            raise ValueError(f"weight_bits must be 4 or 8; got {self.weight_bits!r}")
        if self.act_bits != 8:
            raise ValueError(
                f"act_bits must be 8: weights of 8 or 4 bits are multiplied in int8; got {self.act_bits!r}"
            )

    def precision(self, device: torch.device | str) -> Precision:
        """How Linear and Conv2d products of this preset are computed on `device`."""
        native, why = int8_products(device)
        if not native:
            return Precision("simulated", f"{why}; weights are stored in {self.weight_bits} bits and decoded to float")
        decoded = "4-bit weights are decoded to int8; " if self.weight_bits == 4 else ""
        return Precision("native", f"{decoded}{why}")


def int8_products(device: torch.device | str) -> tuple[bool, str]:
    """Whether `device` multiplies int8 matrices natively, and one sentence why."""
    device = torch.device(device)
    if device.type == "cpu":
        return True, "the CPU multiplies int8 matrices with int32 accumulation"
    if device.type != "cuda":
        return False, f"no int8 matrix product is known for device type {device.type!r}"
    if not torch.cuda.is_available():
        return False, "PyTorch sees no CUDA device"
    capability = torch.cuda.get_device_capability(device)
    shown = f"compute capability {capability[0]}.{capability[1]}"
    if capability < INT8_MIN_CAPABILITY:
        return False, f"int8 tensor cores need compute capability 7.5; this GPU has {shown}"
    return True, f"int8 tensor cores ({shown})"


PRESETS = {
    "W8A8": Preset("W8A8", 8, 8, AttentionSpec(q_bits=8, kv_bits=8, a_bits=8)),
    "W4A8": Preset("W4A8", 4, 8, AttentionSpec(q_bits=8, kv_bits=8, a_bits=8)),
}


def as_preset(preset: str | Preset) -> Preset:
    """The preset itself, or the one of that name. Raises ValueError with the known names."""
    if isinstance(preset, Preset):
        return preset
    if preset not in PRESETS:
        raise ValueError(f"unknown preset {preset!r}; known are {', '.join(PRESETS)}")
    return PRESETS[preset]
