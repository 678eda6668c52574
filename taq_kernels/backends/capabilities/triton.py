"""Our Triton kernels: attention over stored codes, int8 convolutions, and Linear as one."""

from __future__ import annotations

from torch import Tensor

from ...quantizers import QUANTIZERS
from .. import operators
from ..backend import Answer, Backend
from ..bounds import MAX_CHANNELS
from ..int8_conv import CONV_MULTIPLE, Int8Conv, shape_reason
from ..machine import Machine
from ..quantized_kv import MAX_TOKENS, QuantizedKV

TRITON_CONV = "Triton int8 convolution"
TRITON_NORM = "Triton norm and int8 convolution"
TRITON_ATTENTION = "Triton mixed-row attention"
TRITON_GELU = "Triton gated GELU"

TRITON_MIN_CAPABILITY = (8, 0)
"""The lowest CUDA compute capability for which Triton supports the kernels."""
MIN_TRITON = (3, 4)
"""The first version of Triton that the kernels were tested with."""


class MixedAttention(Backend):
    """Attention through the operator whose CUDA implementation is the Triton kernel."""

    def attend(
        self,
        q: Tensor,
        kv: QuantizedKV,
        *,
        heads: int,
        q_bits: int | None,
        a_bits: int | None,
        quantizer: str,
    ) -> Tensor:
        """Like `Backend.attend`."""
        return operators.mixed_attention(
            q, kv, heads=heads, q_bits=q_bits, a_bits=a_bits, quantizer=quantizer
        )


class GatedGelu(Backend):
    """Gated GELU through the operator whose CUDA implementation is the Triton kernel."""

    def gated_gelu(self, both: Tensor) -> Tensor:
        """Like `Backend.gated_gelu`."""
        return operators.gated_gelu(both)


def linear(at: Machine, bits: int, width: int, rotation: int | None) -> Answer:
    """Whether the Triton kernel runs Linear in int8, where comfy-kitchen's kernels are off.

    It does not rotate tokens. Why comfy-kitchen does not run a Linear is the better reason.
    """
    if triton_reasons(at) or bits != 8 or rotation is not None:
        return ""
    if width % CONV_MULTIPLE or width > MAX_CHANNELS:
        return (
            f"{width} input features; the Triton kernel takes multiples of {CONV_MULTIPLE}, at "
            f"most {MAX_CHANNELS}"
        )
    return Int8Conv(TRITON_CONV, "a convolution of 1x1, because comfy-kitchen's kernels are off")


def conv(at: Machine, shape: tuple[int, ...], groups: int) -> Answer:
    """Whether the Triton kernel runs Conv2d; it needs a CUDA device."""
    reason = shape_reason(shape, groups) or "; ".join(triton_reasons(at))
    return reason or Int8Conv(TRITON_CONV, "implicit matrix product on int8 tensor cores")


def normed_conv(at: Machine, shape: tuple[int, ...], groups: int) -> Answer:
    """Whether the Triton kernels run GroupNorm, SiLU and Conv2d together."""
    answer = conv(at, shape, groups)
    if isinstance(answer, str):
        return answer
    if shape[1] > MAX_CHANNELS:
        return f"{shape[1]} channels; the Triton kernel takes at most {MAX_CHANNELS}"
    return Int8Conv(TRITON_NORM, "pixels are normed and quantized in one pass over memory")


def gated_gelu(at: Machine) -> Answer:
    """Whether the Triton kernel runs the gated GELU of a feed-forward."""
    reasons = triton_reasons(at)
    return "; ".join(reasons) or GatedGelu(TRITON_GELU, "one pass over memory in place of two")


def attention(
    at: Machine, kv_bits: int | None, per_tensor: bool, quantizer: str, tokens: int
) -> Answer:
    """Whether the Triton kernel runs attention: on CUDA, over codes with a scale for each token."""
    if kv_bits is None:
        return "keys and values are not quantized"
    if per_tensor:
        return "one scale for a whole tensor is simulated"
    if QUANTIZERS[quantizer].kernel is None:
        return f"the Triton kernel has no {quantizer} quantizer"
    if reasons := triton_reasons(at):
        return "; ".join(reasons)
    if tokens > MAX_TOKENS:
        return f"{tokens} tokens of text; the Triton kernel takes {MAX_TOKENS}"
    return MixedAttention(
        TRITON_ATTENTION,
        "stored codes are read as they are; products of integers in fp16, which are exact",
    )


def triton_reasons(at: Machine) -> list[str]:
    """Every reason why our Triton kernels cannot run; an empty list = they can."""
    if at.kind == "hip":
        return ["our Triton kernels are not tested on AMD"]
    if at.kind != "cuda":
        return [f"{at.kind} is not a CUDA device"]
    if at.capability is None:
        return ["torch sees no CUDA device"]
    reasons = []
    if at.triton is None:
        reasons.append("Triton is not installed (on Windows: pip install triton-windows)")
    elif at.triton < MIN_TRITON:
        reasons.append("Triton {}.{}; {}.{} or newer is needed".format(*at.triton, *MIN_TRITON))
    if at.triton_error:
        reasons.append(f"Triton cannot compile here: {at.triton_error}")
    if at.capability < TRITON_MIN_CAPABILITY:
        reasons.append(
            "compute capability {}.{}; Triton needs {}.{}".format(
                *at.capability, *TRITON_MIN_CAPABILITY
            )
        )
    return reasons
