"""Sampling steps of a full-size UNet in ComfyUI: half precision beside TAQ's presets.

Seconds, memory, and how far the output moves. The weights are random: they take the same time and
memory as trained ones, but their errors only show that the arithmetic is right.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..comfyui_folder import find_comfyui
from .kept_results import keep
from .table import markdown_table
from .unet_shapes import DEMO, SD15, SDXL, UNetConfig

CONFIGS: dict[str, UNetConfig] = {"demo": DEMO, "sd15": SD15, "sdxl": SDXL}
SIDES = {"demo": 128, "sd15": 512, "sdxl": 1024}
"""Pixels, by default as the models were trained."""
MIB, TIMEOUT = 2**20, 3600


class Way(NamedTuple):
    """One way to run the UNet. `preset` None = in half precision."""

    preset: str | None
    protect: str = "trigger + BOS"
    lora: bool = False


WAYS = {
    "fp16": Way(None),
    "W8A8": Way("W8A8"),
    "W4A8": Way("W4A8"),
    "W8": Way("W8"),
    "W4": Way("W4"),
    "W8A8, all protected": Way("W8A8", "all"),
    "fp16, LoRA": Way(None, lora=True),
    "W8A8, LoRA": Way("W8A8", lora=True),
    "W4A8, LoRA": Way("W4A8", lora=True),
}
"""Name -> way; the first is the one that the others are compared with."""
FULL, FULL_LORA = "fp16", "fp16, LoRA"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench full`."""
    parser.add_argument("--model", choices=tuple(CONFIGS), default="sd15")
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    parser.add_argument("--side", type=int, help="pixels (default: 512 for sd15, 1024 for sdxl)")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--ways", nargs="+", choices=tuple(WAYS), default=tuple(WAYS))
    parser.add_argument(
        "--disable-cuda-malloc", action="store_true", help="start ComfyUI with this option"
    )
    parser.add_argument("--keep", action="store_true", help="write the table to bench/results")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The measurement, as data and as text.

    Raises ValueError where there is no ComfyUI or are too few steps, RuntimeError where the
    measurement fails.
    """
    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("this needs ComfyUI 0.33 or newer; set COMFYUI_PATH or give --comfyui")
    if options.steps < 2 or options.repeats < 1:
        raise ValueError(
            "a step is timed between two others: give --steps 2 and --repeats 1 or more"
        )
    result = measure(
        comfyui,
        options.model,
        side=options.side or SIDES[options.model],
        steps=options.steps,
        repeats=options.repeats,
        ways=options.ways,
        native=options.disable_cuda_malloc,
    )
    text = report(result)
    if options.keep:
        name = f"full_size_{options.model}_{result['device_type']}"
        keep(name, result, f"# {options.model} in ComfyUI\n\n{text}\n")
    return result, text


def measure(
    comfyui: Path,
    model: str,
    *,
    side: int,
    steps: int = 8,
    repeats: int = 3,
    ways: Sequence[str] = tuple(WAYS),
    native: bool = False,
) -> dict[str, Any]:
    """Measure `ways` on the UNet of `model` in a process of its own, which starts ComfyUI.

    `native`: with PyTorch's own allocator, in place of CUDA's.
    """
    with tempfile.TemporaryDirectory() as folder:
        allocator = "native" if native else "default"
        job = [str(comfyui), folder, model, str(side), str(steps), str(repeats), allocator, *ways]
        line = [sys.executable, "-P", "-m", "personalq.bench.full_size_process", *job]
        done = subprocess.run(line, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise RuntimeError(f"the process ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def report(result: dict[str, Any]) -> str:
    """The measurement as a Markdown table."""
    rows: list[tuple[object, ...]] = [
        (
            "UNet",
            "ms a step",
            "to fp16",
            "weights MiB",
            "device MiB",
            "first step s",
            "made in s",
            "error",
            "again",
        )
    ]
    found = result["ways"]
    for name, one in found.items():
        beside = found.get(FULL_LORA if WAYS[name].lora else FULL)
        ratio = one["step_ms"] / beside["step_ms"] if beside else None
        shown = [f"{one['step_ms']:.1f}", "" if ratio is None else f"{ratio:.2f}"]
        shown += [f"{one['weights'] / MIB:.0f}", _figure(one["device_mib"], ".0f")]
        shown += [f"{one['first_s']:.1f}", _figure(one["made_s"], ".1f")]
        rows.append((name, *shown, _figure(one["error"], ".4f"), f"{one['again']:.1g}"))
    about = (
        f"{result['model']}, {result['side']} px, batch of two, {result['device']}; dynamic VRAM: "
        f"{result['dynamic_vram']}; allocator: {result['allocator']}. Median of "
        f"{result['repeats']} turns of {result['steps']} steps. Weights: W8A8 and others with the "
        "text's projections, which wait in main memory. Device: by how much its free memory "
        "falls, caches included. Again: the largest difference between the latents of two turns."
    )
    failed = [f"{name}: {reason}" for name, reason in result["failed"].items()]
    return "\n".join([about, "", markdown_table(rows), *failed])


def _figure(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
