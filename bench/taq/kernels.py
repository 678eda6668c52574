"""Compare the Triton kernels with PyTorch's in half precision, on SD 1.5 and SDXL shapes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from ...taq_kernels import AttentionSpec, StoredTokens, quantized_ops
from ...taq_kernels.attention.cross_attention import attend_stored
from ...taq_kernels.attention.kv_cache import LayerKV
from ...taq_kernels.backends import registry
from ...taq_kernels.layouts.conv import conv2d
from ...taq_kernels.quantize import quantize_weight
from ...taq_kernels.spec import Activations
from ..table import table

ATTENTION = {
    "sd15, 512 px": ((2, 4096, 8, 40), (2, 1024, 8, 80), (2, 256, 8, 160), (2, 64, 8, 160)),
    "sdxl, 1024 px": ((2, 4096, 10, 64), (2, 1024, 20, 64)),
}
"""Shapes of cross-attentions: (batch with both prompts, queries, heads, head width)."""
CONVOLUTION = {
    "sd15, 512 px": (
        (2, 320, 320, 64),
        (2, 640, 640, 32),
        (2, 1280, 1280, 16),
        (2, 2560, 1280, 16),
    ),
    "sdxl, 1024 px": ((2, 320, 320, 128), (2, 640, 640, 64), (2, 1280, 1280, 32)),
}
"""Shapes of 3x3 convolutions: (batch, input channels, output channels, side)."""
LINEAR = {
    "sdxl, 1024 px": (
        (8192, 640, 640),
        (8192, 640, 5120),
        (8192, 2560, 640),
        (2048, 1280, 1280),
        (2048, 1280, 10240),
        (2048, 5120, 1280),
    )
}
"""Shapes of Linear layers: (tokens of both prompts, inputs, outputs)."""
ROWS, KEPT = 77, 4


def measure(
    device: torch.device,
    attention: dict = ATTENTION,
    convolution: dict = CONVOLUTION,
    linear: dict = LINEAR,
) -> dict[str, Any]:
    """Return median milliseconds of each kernel; half precision on CUDA, float32 elsewhere."""
    dtype = torch.float16 if device.type == "cuda" else torch.float32
    torch.manual_seed(0)
    parts: dict[str, tuple[Callable[..., dict[str, Any]], dict]] = {
        "attention": (_attention, attention),
        "convolution": (_convolution, convolution),
        "linear": (_linear, linear),
    }
    found: dict[str, Any] = {"device": str(device)}
    with torch.inference_mode():
        for part, (time_one, models) in parts.items():
            found[part] = {
                f"{model} {shape}": time_one(shape, device, dtype)
                for model, shapes in models.items()
                for shape in shapes
            }
    return found


def report(found: dict[str, Any]) -> str:
    """Return all parts as a table."""
    rows: list[tuple[object, ...]] = [
        (f"on {found['device']}", "backend", "float ms", "ms", "ratio")
    ]
    for part in ("attention", "convolution", "linear"):
        for name, one in found[part].items():
            for bits in (8, 4):
                ms = one[f"ms_{bits}"]
                shown = (
                    f"{part} {name}, {bits} bits",
                    one["backend"],
                    f"{one['float_ms']:.3f}",
                    f"{ms:.3f}",
                )
                rows.append((*shown, f"{ms / one['float_ms']:.2f}"))
    return table(rows)


def _attention(
    shape: tuple[int, int, int, int], device: torch.device, dtype: torch.dtype
) -> dict[str, Any]:
    batch, queries, heads, width = shape
    q, k, v = (
        torch.randn(batch, n, heads * width, device=device, dtype=dtype)
        for n in (queries, ROWS, ROWS)
    )
    split = [x.unflatten(-1, (heads, width)).transpose(1, 2) for x in (q, k, v)]
    found: dict[str, Any] = {
        "float_ms": _milliseconds(lambda: functional.scaled_dot_product_attention(*split), device)
    }
    protected = torch.zeros(batch, ROWS, dtype=torch.bool, device=device)
    protected[:, :KEPT] = True
    entry = torch.arange(batch, device=device)
    runs_on = registry.attention(registry.machine(device), 8, False).name
    for bits in (8, 4):
        spec = AttentionSpec(q_bits=8, kv_bits=bits, a_bits=8)
        k_stored, v_stored = (StoredTokens.store(x, protected, bits) for x in (k, v))
        layer = LayerKV(k_stored, v_stored, protected)
        run = _attend(q, layer, entry, heads, spec)
        found |= {f"ms_{bits}": _milliseconds(run, device), "backend": runs_on}
    return found


def _attend(q, layer, entry, heads, spec) -> Callable[[], object]:
    return lambda: attend_stored(q, layer, entry, heads, spec)


def _convolution(
    shape: tuple[int, int, int, int], device: torch.device, dtype: torch.dtype
) -> dict[str, Any]:
    batch, channels, outputs, side = shape
    x = torch.randn(batch, channels, side, side, device=device, dtype=dtype).to(
        memory_format=torch.channels_last
    )
    weight = torch.randn(outputs, channels, 3, 3, device=device) / (9 * channels) ** 0.5
    half = weight.to(dtype).to(memory_format=torch.channels_last)
    found: dict[str, Any] = {
        "float_ms": _milliseconds(lambda: functional.conv2d(x, half, padding=1), device)
    }
    for bits in (8, 4):
        found[f"ms_{bits}"] = _milliseconds(
            _convolve(x, quantize_weight(weight.to(dtype), bits)), device
        )
    return found | {"backend": registry.conv(registry.machine(device), tuple(weight.shape)).name}


def _convolve(x, weight) -> Callable[[], object]:
    return lambda: conv2d(x, weight, padding=1)


def _linear(
    shape: tuple[int, int, int], device: torch.device, dtype: torch.dtype
) -> dict[str, Any]:
    tokens, inputs, outputs = shape
    x = torch.randn(tokens, inputs, device=device, dtype=dtype)
    weight = (torch.randn(outputs, inputs, device=device) / inputs**0.5).to(dtype)
    bias = torch.randn(outputs, device=device, dtype=dtype)
    found: dict[str, Any] = {
        "float_ms": _milliseconds(lambda: functional.linear(x, weight, bias), device)
    }
    for bits in (8, 4):
        run = partial(quantized_ops.linear, x, quantize_weight(weight, bits), bias, Activations())
        found[f"ms_{bits}"] = _milliseconds(run, device)
    return found | {"backend": registry.linear(registry.machine(device), 8, inputs).name}


def _milliseconds(run: Callable[[], object], device: torch.device) -> float:
    if device.type == "cuda":
        from triton.testing import do_bench

        return do_bench(run, return_mode="median")
    times = []
    for _ in range(6):
        started = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times[1:])
