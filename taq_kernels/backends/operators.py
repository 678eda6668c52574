"""Attention and products as custom operators of torch: the reference runs on a CPU, the Triton
kernel on CUDA.

`torch.compile` and `torch.export` do not look inside them. Where nothing traces a call, what an
operator runs is called without torch's dispatcher, which takes longer than many a kernel. Triton is
imported only when a CUDA device is used, so the operators also exist where it is not installed.
`registry` says what runs where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import torch
from comfy_kitchen.tensor.w4a8_int8 import w4a8_int8_linear
from torch import Tensor
from torch.nn import functional

from .eager import attention as eager_attention
from .eager.conv import conv2d_int8 as conv2d_reference
from .eager.conv import out_size
from .eager.gated import gated_gelu as gated_gelu_reference
from .eager.nibbles import unpack_nibbles
from .quantized_kv import QuantizedKV

# Torch reads the schemas of the operators from their annotations, and torch 2.7 knows
# Optional[int] but not the form with a bar.
# ruff: noqa: UP045


class Operator:
    """An operator of torch with what it runs on a CPU and on CUDA."""

    def __init__(
        self, cpu: Callable[..., Tensor], cuda: Callable[..., Tensor], fake: Callable[..., Tensor]
    ) -> None:
        self._runs = {"cpu": cpu, "cuda": cuda}
        self.traced: Any = torch.library.custom_op(
            f"personalq::{cpu.__name__}", cpu, mutates_args=(), device_types="cpu"
        )
        self.traced.register_kernel("cuda")(cuda)
        self.traced.register_fake(fake)

    def __call__(self, x: Tensor, *rest: Any) -> Tensor:
        """Its result for `x` and the rest, through torch where the call is traced.

        It is by torch.compile, and where x has no values: on another device, or of another class.
        Torch also says that no gradient is known where one is asked for.
        """
        run = self._runs.get(x.device.type) if type(x) is Tensor else None
        learns = x.requires_grad and torch.is_grad_enabled()
        if run is None or learns or torch.compiler.is_compiling():
            return self.traced(x, *rest)
        return run(x, *rest)


def _operator(
    cuda: Callable[..., Tensor], fake: Callable[..., Tensor]
) -> Callable[[Callable[..., Tensor]], Operator]:
    """Make an `Operator` of a function, which runs on a CPU and gives name and schema."""
    return lambda cpu: Operator(cpu, cuda, fake)


def mixed_attention(
    q: Tensor,
    kv: QuantizedKV,
    *,
    heads: int,
    q_bits: int | None,
    a_bits: int | None,
    quantizer: str,
) -> Tensor:
    """Cross-attention of q [B, N, heads*d] over codes, like `eager.attention.mixed_attention`.

    An operator takes plain tensors, so `kv` is taken apart here and nowhere else.
    """
    return mixed_attention_operator(q, kv.tensors(), heads, kv.bits, q_bits, a_bits, quantizer)


def _triton_attention(q, kv_tensors, heads, kv_bits, q_bits, a_bits, quantizer) -> Tensor:
    from .triton import attention as triton_attention

    kv = QuantizedKV(kv_bits, *kv_tensors)
    return triton_attention.mixed_attention(
        q, kv, heads=heads, q_bits=q_bits, a_bits=a_bits, quantizer=quantizer
    )


@_operator(_triton_attention, fake=lambda q, *_: q.new_empty(q.shape))
def mixed_attention_operator(
    q: Tensor,
    kv_tensors: Sequence[Tensor],
    heads: int,
    kv_bits: Optional[int],
    q_bits: Optional[int],
    a_bits: Optional[int],
    quantizer: str,
) -> Tensor:
    """Like `mixed_attention`, with the tensors of `QuantizedKV.tensors`.

    Torch reads the operator's schema from these types.
    """
    kv = QuantizedKV(kv_bits, *kv_tensors)
    return eager_attention.mixed_attention(
        q, kv, heads=heads, q_bits=q_bits, a_bits=a_bits, quantizer=quantizer
    )


def _triton_conv(x: Tensor, *rest: Any) -> Tensor:
    from .triton import pixels as triton_pixels

    return _triton_conv_of(triton_pixels.quantize_pixels(x.permute(0, 2, 3, 1)), x.dtype, *rest)


def _triton_normed_conv(
    x: Tensor, weight: Tensor, bias: Tensor, groups: int, eps: float, *rest: Any
) -> Tensor:
    from .triton import norm as triton_norm

    pixels = triton_norm.quantize_normed(x.permute(0, 2, 3, 1), weight, bias, groups, eps)
    return _triton_conv_of(pixels, x.dtype, *rest)


def _triton_conv_of(
    pixels: tuple[Tensor, Tensor],
    dtype: torch.dtype,
    taps: Tensor,
    scale: Tensor,
    bias: Tensor | None,
    *geometry: Sequence[int],
) -> Tensor:
    """The convolution of `pixels` and their scales; the rest as in `conv2d_int8`."""
    from .triton import conv as triton_conv

    stride, padding, dilation = geometry
    out = triton_conv.conv2d_taps(*pixels, taps, scale, bias, stride, padding, dilation, dtype)
    return out.permute(0, 3, 1, 2)


def _fake_conv(
    x: Tensor, taps: Tensor, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> Tensor:
    """An output with the right shape but no data, in channels-last memory order."""
    size = out_size(x.shape[2:], taps.shape[:2], stride, padding, dilation)
    return x.new_empty(x.shape[0], *size, taps.shape[2]).permute(0, 3, 1, 2)


def _fake_of_conv(x, taps, scale, bias, *geometry) -> Tensor:
    return _fake_conv(x, taps, *geometry)


def _fake_of_normed(x, weight, bias, groups, eps, taps, scale, added, *geometry) -> Tensor:
    return _fake_conv(x, taps, *geometry)


@_operator(_triton_conv, fake=_fake_of_conv)
def conv2d_int8(
    x: Tensor,
    taps: Tensor,
    scale: Tensor,
    bias: Optional[Tensor],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """Compute conv2d(x, taps * scale) with each pixel quantized, like `eager.conv.conv2d_int8`.

    x [B, C, H, W]; taps int8 [kh, kw, O, C]; scale float32 [O]; bias [O]; stride, padding and
    dilation are (y, x). Returns [B, O, H', W'] in the dtype of x and in channels-last memory order.
    """
    q = taps.permute(2, 3, 0, 1)
    return conv2d_reference(x, q, scale, bias, list(stride), list(padding), list(dilation))


@_operator(_triton_normed_conv, fake=_fake_of_normed)
def normed_conv2d_int8(
    x: Tensor,
    norm_weight: Tensor,
    norm_bias: Tensor,
    norm_groups: int,
    eps: float,
    taps: Tensor,
    scale: Tensor,
    bias: Optional[Tensor],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """Like `conv2d_int8` of SiLU(GroupNorm(x)), which is not rounded to the dtype of x."""
    normed = functional.group_norm(
        x.float(), norm_groups, norm_weight.float(), norm_bias.float(), eps
    )
    rest = taps, scale, bias, stride, padding, dilation
    return conv2d_int8(functional.silu(normed), *rest).to(x.dtype)


def _triton_taps(codes: Tensor, group_scale: Tensor) -> Tensor:
    from .triton.taps import decode_taps

    return decode_taps(codes, group_scale)


def _fake_taps(codes: Tensor, group_scale: Tensor) -> Tensor:
    return codes.new_empty(*codes.shape[:-1], 2 * codes.shape[-1], dtype=torch.int8)


@_operator(_triton_taps, fake=_fake_taps)
def decoded_taps(codes: Tensor, group_scale: Tensor) -> Tensor:
    """Decode 4-bit taps to int8, like `int4_taps`, for one convolution."""
    return int4_taps(codes, group_scale)


def _triton_gated_gelu(both: Tensor) -> Tensor:
    from .triton import gated as triton_gated

    return triton_gated.gated_gelu(both)


def _fake_gated_gelu(both: Tensor) -> Tensor:
    return both.new_empty(*both.shape[:-1], both.shape[-1] // 2)


@_operator(_triton_gated_gelu, fake=_fake_gated_gelu)
def gated_gelu(both: Tensor) -> Tensor:
    """Compute value * GELU(gate), like `eager.gated.gated_gelu`."""
    return gated_gelu_reference(both)


@torch.library.custom_op("personalq::linear_w4a8", mutates_args=())
def linear_w4a8(
    x: Tensor,
    codes: Tensor,
    group_scale: Tensor,
    scale: Tensor,
    codebook: Optional[Tensor],
    correction: Optional[Tensor],
    bias: Optional[Tensor],
    group_size: int,
    rotation: int,
) -> Tensor:
    """comfy-kitchen's product of x [..., I] with a 4-bit Linear weight.

    To torch.compile it is one opaque operator.
    """
    return w4a8_int8_linear(
        x, codes, group_scale, scale, codebook, correction, bias, group_size, rotation, x.dtype
    )


@linear_w4a8.register_fake
def _(x, codes, *_) -> Tensor:
    return x.new_empty(*x.shape[:-1], codes.shape[0])


def int4_taps(codes: Tensor, group_scale: Tensor) -> Tensor:
    """Decode int8 taps [kh, kw, O, C] from 4-bit codes and group scales.

    `codes` [kh, kw, O, C/2] has two codes (plus 8) in a byte; `group_scale` is int8
    [kh, kw, O, groups].
    """
    signed = unpack_nibbles(codes, 2 * codes.shape[-1]).view(torch.int8) - 8
    return (signed.unflatten(-1, (group_scale.shape[-1], -1)) * group_scale[..., None]).flatten(-2)
