"""Compares each quantized operation with float64, and its time with floating point.

Inputs of 8-bit products are codes of at most 127 times a power of two, so that quantizing them
loses nothing and only the error of the product remains.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ..taq_kernels import quantize_weight, quantized_ops
from ..taq_kernels.backends import operators, registry
from ..taq_kernels.backends.backend import Norm
from ..taq_kernels.backends.capabilities.comfy_kitchen import CHOSEN
from ..taq_kernels.layouts import formats, linear_int4
from ..taq_kernels.spec import Activations
from . import shapes
from .rows import Check, NotHere
from .timing import Call, first_call, launch_milliseconds, milliseconds, peak_mib

PRODUCT_BOUND = {torch.float32: 1e-5, torch.float16: 1e-3}
"""Bound of the error of int8 products.

The input is not rounded, so only the rounding of the result remains (at most 5e-4).
"""
FLOAT_BOUND = {torch.float32: 1e-5, torch.float16: 5e-3}
"""Bound of the error of products in floating point; libraries may sum them in half precision."""
ROTATED_BOUND = 0.015
"""Bound of the error of a 4-bit Linear, as in tests/taq_kernels, and of a normed convolution.

They rotate or norm their input before quantizing it to 127 levels for each row.
"""
STEP = 2.0**-5
"""Step of the input's codes, which gives values up to 4."""
_EDGE, _RANDOM = 32, 64
"""Numbers of output rows to compare with float64: at each end, and at random between the ends."""
_DISPATCHED = ("int8_linear", "w4a8_int8_linear")
"""Functions of comfy-kitchen whose backend the registry predicts."""


class On(NamedTuple):
    """The device of a check, and the precision of its inputs."""

    device: torch.device
    dtype: torch.dtype

    @classmethod
    def of(cls, device: torch.device) -> On:
        """`device`, with float32 on a CPU and float16 elsewhere."""
        return cls(device, torch.float32 if device.type == "cpu" else torch.float16)

    def random(self, *shape: int) -> Tensor:
        """Normally distributed values."""
        return torch.randn(shape, device=self.device, dtype=torch.float32).to(self.dtype)

    def codes(self, *shape: int) -> Tensor:
        """Random integers from -127 to 127, in the floating-point dtype."""
        return torch.randint(-127, 128, shape, device=self.device, dtype=torch.int32).to(self.dtype)


def checks(device: torch.device, work: float) -> list[Check]:
    """All checks of operations that need at most `work` multiplications."""
    on = On.of(device)
    made = [
        Check(f"{name} {bits}-bit", str(shape), partial(run, shape, bits, on))
        for name, run, found in _KINDS
        for bits in (8, 4)
        for shape in found
        if shape.work <= work
    ]
    made += [
        Check("GroupNorm, SiLU and Conv2d", str(shape), partial(normed_conv, shape, on))
        for shape in shapes.CONV
        if shape.kernel == 3 and shape.work <= work
    ]
    codes = [(2, 320, 17, 15), (2, 1280, 9, 7)]
    return made + [
        Check("pixel codes", "x".join(map(str, one)), partial(pixel_codes, one, on))
        for one in codes
    ]


def linear(shape: shapes.LinearShape, bits: int, on: On) -> dict[str, Any]:
    """Values for `rows.Row`: error and times of a Linear whose weight has `bits`."""
    x = on.codes(shape.tokens, shape.inputs) * STEP
    x[:, 0] = 127 * STEP
    weight = on.random(shape.outputs, shape.inputs) / shape.inputs**0.5
    stored, bias = quantize_weight(weight, bits), on.random(shape.outputs)
    runs_on = formats.backend(stored, 1, registry.machine(on.device), Activations())
    run = partial(quantized_ops.linear, x, stored, bias, Activations())
    with dispatched() as chosen:
        out, seconds = first_call(run, on.device)
    rows = sample(shape.tokens)
    exact = x[rows].cpu().double() @ decoded(stored).T + bias.cpu().double()
    rotated = stored._layout_cls == linear_int4.NAME
    bound = ROTATED_BOUND if rotated else product_bound(runs_on.name, on)
    found = {
        "backend": stored_as(stored, bits, runs_on.name),
        "error": relative_error(out[rows], exact, out),
        "bound": bound,
        "first_seconds": seconds,
    }
    refuse_another(runs_on.name, chosen)
    return found | times(run, partial(functional.linear, x, weight, bias), on.device)


def conv(shape: shapes.ConvShape, bits: int, on: On) -> dict[str, Any]:
    """Values for `rows.Row`: error and times of a Conv2d whose weight has `bits`."""
    x = (on.codes(shape.batch, shape.inputs, shape.height, shape.width) * STEP).contiguous(
        memory_format=torch.channels_last
    )
    x[:, 0] = 127 * STEP
    kernel, stride, padding = shape.kernel, shape.stride, shape.kernel // 2
    weight = (
        on.random(shape.outputs, shape.inputs, kernel, kernel) / (shape.inputs * kernel**2) ** 0.5
    )
    stored, bias = quantize_weight(weight, bits), on.random(shape.outputs)
    weight = weight.contiguous(memory_format=torch.channels_last)
    runs_on = formats.backend(stored, 1, registry.machine(on.device), Activations())
    run = partial(quantized_ops.conv2d, x, stored, bias, Activations(), stride, padding)
    out, seconds = first_call(run, on.device)
    at = sample(out.shape[0] * out.shape[2] * out.shape[3])
    image, y, across = (
        at // (out.shape[2] * out.shape[3]),
        at // out.shape[3] % out.shape[2],
        at % out.shape[3],
    )
    windows = functional.pad(x, (padding,) * 4).unfold(2, kernel, stride).unfold(3, kernel, stride)
    seen = windows[image, :, y, across].cpu().double().flatten(1)
    exact = seen @ decoded(stored).flatten(1).T + bias.cpu().double()
    found = {
        "backend": stored_as(stored, bits, runs_on.name),
        "error": relative_error(out[image, :, y, across], exact, out),
        "bound": product_bound(runs_on.name, on),
        "first_seconds": seconds,
    }
    return found | times(
        run, partial(functional.conv2d, x, weight, bias, stride, padding), on.device
    )


def normed_conv(shape: shapes.ConvShape, on: On) -> dict[str, Any]:
    """Values for `rows.Row`: error and times of a Conv2d that runs with the norm before it.

    The reference is each by itself. Raises NotHere if no backend runs them together.
    """
    weight = on.random(shape.outputs, shape.inputs, 3, 3) / (9 * shape.inputs) ** 0.5
    runs_on = registry.normed_conv(registry.machine(on.device), tuple(weight.shape))
    if runs_on.name == registry.ONE_BY_ONE:
        raise NotHere(f"they run {registry.ONE_BY_ONE} here: {runs_on.why}")
    x = on.random(shape.batch, shape.inputs, shape.height, shape.width)
    x = (3 * x + 1).contiguous(memory_format=torch.channels_last)
    norm = Norm(on.random(shape.inputs), on.random(shape.inputs), 32, 1e-5)
    stored, bias = quantize_weight(weight, 8), on.random(shape.outputs)
    run = partial(quantized_ops.normed_conv2d, x, norm, stored, bias, shape.stride, 1)
    out, seconds = first_call(run, on.device)

    def apart(kernel: Tensor, dtype: torch.dtype) -> Tensor:
        image, scale, offset, added = (part.to(dtype) for part in (x, norm.weight, norm.bias, bias))
        normed = functional.group_norm(image, norm.groups, scale, offset, norm.eps)
        return functional.conv2d(functional.silu(normed), kernel.to(dtype), added, shape.stride, 1)

    exact = apart(stored.dequantize(), torch.float32)
    found = {
        "backend": runs_on.name,
        "error": relative_error(out.flatten(1), exact.cpu().double().flatten(1), out),
        "bound": ROTATED_BOUND,
        "first_seconds": seconds,
    }
    return found | times(run, partial(apart, weight, on.dtype), on.device)


def pixel_codes(shape: tuple[int, ...], on: On) -> dict[str, Any]:
    """Values for `rows.Row`: the fraction of wrong codes when a convolution quantizes its pixels.

    The codes of pixels [B, C, H, W] are read from the output of a 1x1 identity convolution. Raises
    NotHere if no convolution runs in int8.
    """
    channels = shape[1]
    runs_on = registry.conv(registry.machine(on.device), (channels, channels, 1, 1))
    if runs_on.name == registry.FLOAT:
        raise NotHere(f"no convolution runs in int8 here: {runs_on.why}")
    x = on.random(*shape)
    same = torch.eye(channels, device=on.device, dtype=torch.int8)[None, None]
    ones = torch.ones(channels, device=on.device)
    run = partial(operators.conv2d_int8, x, same, ones, None, [1, 1], [0, 0], [1, 1])
    out, seconds = first_call(run, on.device)
    pixels = x.cpu().float()
    scale = pixels.abs().amax(1, keepdim=True) / 127
    differ = (out.cpu().float() / scale).round() != (pixels / scale).round()
    return {
        "backend": runs_on.name,
        "error": differ.float().mean().item(),
        "bound": 0.0,
        "first_seconds": seconds,
    }


def product_bound(runs_on: str, on: On) -> float:
    """The bound of the error of a product that the backend `runs_on` computes."""
    return (FLOAT_BOUND if runs_on == registry.FLOAT else PRODUCT_BOUND)[on.dtype]


def stored_as(weight: Any, bits: int, runs_on: str) -> str:
    """The backend's name, with the weight's bits if they are not `bits`."""
    stored = formats.layout_of(weight).bits
    return runs_on if stored == bits else f"{runs_on} ({stored}-bit: {weight.shape[1]} wide)"


def times(run: Call, in_float: Call, device: torch.device) -> dict[str, float | None]:
    """The times of `run` and `in_float`, and the memory of `run`, as values for `rows.Row`."""
    return {
        "ms": milliseconds(run, device),
        "float_ms": milliseconds(in_float, device),
        "launch_ms": launch_milliseconds(run, device),
        "peak_mib": peak_mib(run, device),
    }


def sample(count: int) -> Tensor:
    """Sorted indices of the first, the last and some random rows of `count`, on the CPU."""
    if count <= 2 * _EDGE + _RANDOM:
        return torch.arange(count)
    between = torch.randint(
        _EDGE, count - _EDGE, (_RANDOM,), generator=torch.Generator().manual_seed(0)
    )
    return torch.cat(
        (torch.arange(_EDGE), between.sort().values, torch.arange(count - _EDGE, count))
    )


def decoded(weight: Any) -> Tensor:
    """The values of a stored weight in float64, decoded on the CPU."""
    return weight.cpu().to(torch.float32).dequantize().double()


def relative_error(rows: Tensor, exact: Tensor, whole: Tensor) -> float:
    """L2 norm of `rows` - `exact`, divided by that of `exact`; NaN if `whole` is not all finite."""
    if not torch.isfinite(whole).all():
        return float("nan")
    return ((rows.cpu().double() - exact).norm() / exact.norm()).item()


@contextmanager
def dispatched() -> Iterator[dict[str, str]]:
    """Function -> backend that comfy-kitchen chose for it inside this context, from its log."""
    CHOSEN.clear()  # so that it chooses
    chosen: dict[str, str] = {}
    log, level = (
        logging.getLogger("comfy_kitchen.dispatch"),
        logging.getLogger("comfy_kitchen.dispatch").level,
    )
    handler = logging.Handler()
    handler.emit = lambda record: chosen.update({str(record.args[1]): str(record.args[0])})  # type: ignore
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    log.propagate, before = False, log.propagate
    try:
        yield chosen
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = before


def refuse_another(said: str, chosen: dict[str, str]) -> None:
    """Raise RuntimeError if comfy-kitchen ran another backend than the registry `said`."""
    name = said.removeprefix(registry.KITCHEN).strip()
    others = [
        f"{ran} for {function}"
        for function, ran in chosen.items()
        if function in _DISPATCHED and ran != name
    ]
    if said != registry.FLOAT and name and others:
        raise RuntimeError(f"the registry says {said}; comfy-kitchen took {', '.join(others)}")


_KINDS: list[tuple[str, Callable[..., dict[str, Any]], Sequence[Any]]] = [
    ("Linear", linear, shapes.LINEAR),
    ("Conv2d", conv, shapes.CONV),
]
