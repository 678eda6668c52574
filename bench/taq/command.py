"""Run the whole comparison of tools on one model, and print its table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from ..machine import device_name
from . import bnb, comfy_formats, gguf_style, ours, quanto, torchao_int8
from .contender import Contender, missing
from .measure import measure
from .table import markdown

_TOOLS = (ours, comfy_formats, gguf_style, torchao_int8, bnb, quanto)
"""The last comes last: on an H200 its 4-bit weights made CUDA fail for all that came after."""


def run(
    model: str = "tiny",
    side: int = 256,
    checkpoint: Path | None = None,
    repeats: int = 5,
    *,
    out: Path,
    seed: int = 0,
    compiled: bool = False,
    device: str | None = None,
) -> dict[str, Any]:
    """Measure every contender that can run here; return the run, which is also written to `out`.

    `model`: "tiny", "sd15" or "sdxl". `side`: in pixels. `checkpoint`: a single file of that
    architecture (default: random weights from `seed`). `compiled`: use torch.compile. `device`: by
    default CUDA where there is one, in float16, else the CPU, in float32. `out` is a JSON file.

    Raises ValueError for an unknown model, a missing checkpoint, a wrong side, or without
    diffusers.
    """
    if missing("diffusers"):
        raise ValueError(
            "this runs the UNet of diffusers, which is not installed: pip install diffusers"
        )
    where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    return measure(
        settings(model, side, checkpoint, repeats, seed, compiled, where), contenders(where), out
    )


def report(result: dict[str, Any]) -> str:
    """Return the run as a Markdown table."""
    return markdown(result)


def contenders(device: torch.device) -> list[Contender]:
    """Return all contenders, TAQ's presets first."""
    return [contender for tool in _TOOLS for contender in tool.contenders(device)]


def settings(
    model: str,
    side: int,
    checkpoint: Path | None,
    repeats: int,
    seed: int,
    compiled: bool,
    device: torch.device,
) -> dict[str, Any]:
    """Return all that the figures depend on; runs with equal settings count as one run."""
    return {
        "model": model,
        "checkpoint": str(checkpoint) if checkpoint else None,
        "seed": seed,
        "side": side,
        "device": device.type,
        "dtype": "float16" if device.type == "cuda" else "float32",
        "compiled": compiled,
        "repeats": repeats,
        "machine": device_name(device),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
