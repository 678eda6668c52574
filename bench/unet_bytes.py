"""Count the bytes of a full-size UNet while it samples, in fp16, W8A8 and W4A8.

Scales and layers in floating point count too. The K/V cache of two prompts replaces the projections
that computed it.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from ..taq_kernels import Report, quantize_
from ..taq_kernels.families import KV_GROUP
from .skeleton import random_half, skeleton
from .table import table
from .unet_shapes import SD15, SDXL, unet_shapes

CONFIGS = {"sd15": SD15, "sdxl": SDXL}
PRESETS = ("W8A8", "W4A8")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench bytes`."""
    parser.add_argument("--model", choices=tuple(CONFIGS), default="sd15")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text."""
    result = measure(options.model)
    return result, report(result)


def measure(model: str = "sd15") -> dict[str, Any]:
    """Return the quantization report of each preset on random weights.

    `model`, "sd15" or "sdxl", gives names and shapes of the weights.
    """
    result: dict[str, Any] = {"model": model, "presets": {}}
    for preset in PRESETS:
        unet = skeleton(unet_shapes(CONFIGS[model]), random_half(seed=0))
        started = time.perf_counter()
        quantize_(unet, preset)
        counted = Report.of(unet, preset, kv_offloaded=True).to_dict()
        rows = next(
            group["bytes_after"] for group in counted["groups"] if group["group"] == KV_GROUP
        )
        weights = counted["bytes_after"] - rows
        counted |= {
            "bytes_of_weights": weights,
            "ratio_of_weights": weights / counted["bytes_before"],
        }
        result["presets"][preset] = counted | {"seconds": time.perf_counter() - started}
    return result


def report(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    head = (
        f"{result['model']} UNet",
        "fp16 MB",
        "weights MB",
        "of fp16",
        "with two prompts' rows",
        "of fp16",
        "seconds",
    )
    rows: list[tuple[object, ...]] = [head]
    for preset, counted in result["presets"].items():
        sizes = [
            f"{counted[key] / 1e6:.1f}"
            for key in ("bytes_before", "bytes_of_weights", "bytes_after")
        ]
        shares = [f"{counted[key]:.4f}" for key in ("ratio_of_weights", "ratio")]
        rows.append(
            (preset, *sizes[:2], shares[0], sizes[2], shares[1], f"{counted['seconds']:.1f}")
        )
    return table(rows)
