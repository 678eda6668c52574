"""Bytes of a full-size UNet while it samples: fp16, W8A8 and W4A8, counted with scales, with what stays in floating
point, and with the stored rows of two prompts in place of the projections that made them.
"""

from __future__ import annotations

import time
from typing import Any

from ..taq_kernels import Report, quantize_
from .skeleton import random_half, skeleton
from .table import table
from .unet_shapes import SD15, SDXL, unet_shapes

CONFIGS = {"sd15": SD15, "sdxl": SDXL}
PRESETS = ("W8A8", "W4A8")


def measure(model: str = "sd15") -> dict[str, Any]:
    """The quantization report of each preset on random weights in the model's layout; "sd15" or "sdxl"."""
    result: dict[str, Any] = {"model": model, "presets": {}}
    for preset in PRESETS:
        unet = skeleton(unet_shapes(CONFIGS[model]), random_half(seed=0))
        started = time.perf_counter()
        quantize_(unet, preset)
        counted = Report.of(unet, preset, kv_waits=True).to_dict()
        result["presets"][preset] = counted | {"seconds": time.perf_counter() - started}
    return result


def report(result: dict[str, Any]) -> str:
    """The measurement as a table."""
    rows: list[tuple[object, ...]] = [(f"{result['model']} UNet", "fp16 MB", "MB", "ratio", "seconds")]
    for preset, counted in result["presets"].items():
        before, after = counted["bytes_before"] / 1e6, counted["bytes_after"] / 1e6
        rows.append((preset, f"{before:.1f}", f"{after:.1f}", f"{counted['ratio']:.4f}", f"{counted['seconds']:.1f}"))
    return table(rows)
