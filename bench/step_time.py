"""Measure seconds per sampling step in a real ComfyUI: floating point, W8A8 and W4A8.

All take turns in one run.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ..comfyui_folder import find_comfyui
from ..demo.catalogue import BASE_PATH
from ..demo.host_process import HostError, HostProcess, failure
from ..demo.repository import make_demo
from ..demo.request_graph import checkpoint_graph
from .table import table

Preset = Literal["W8A8", "W4A8"] | None
PRESETS: tuple[Preset, ...] = (None, "W8A8", "W4A8")
FEW, MANY = 4, 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench steps`."""
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    parser.add_argument(
        "--demo",
        type=Path,
        default=Path("out/demo"),
        help="demo repository, made when it is not there",
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--side", type=int, default=128, help="pixels")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text.

    Raises ValueError where there is no ComfyUI.
    """
    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("this needs ComfyUI 0.33 or newer; set COMFYUI_PATH or give --comfyui")
    demo = make_demo(options.demo).folder
    result = measure(comfyui, demo, repeats=options.repeats, side=options.side)
    return result, report(result)


def measure(comfyui: Path, demo: Path, *, repeats: int = 5, side: int = 128) -> dict[str, Any]:
    """Return median seconds per step of the demo base, and each preset's ratio to floating point.

    `side` is in pixels. A step is (time of 20 steps - time of 4 steps) / 16, so that loading,
    encoding and decoding do not count.
    """
    seconds: dict[str, list[float]] = {_name(preset): [] for preset in PRESETS}
    with tempfile.TemporaryDirectory() as base, HostProcess(comfyui, demo, Path(base)) as host:
        for preset in PRESETS:
            _run(host, preset, FEW, side, seed=0)
        for repeat in range(1, repeats + 1):
            for preset in PRESETS:
                few, many = (_run(host, preset, steps, side, seed=repeat) for steps in (FEW, MANY))
                seconds[_name(preset)].append((many - few) / (MANY - FEW))
        device = host.get("/system_stats")["devices"][0]["name"]
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    float_step = medians[_name(None)]
    ratios = {name: median / float_step for name, median in medians.items()}
    return {
        "device": device,
        "side": side,
        "repeats": repeats,
        "seconds": medians,
        "ratio": ratios,
        "all": seconds,
    }


def report(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows: list[tuple[object, ...]] = [
        (f"{result['side']} px on {result['device']}", "seconds a step", "ratio")
    ]
    rows += [
        (name, value, f"{result['ratio'][name]:.2f}") for name, value in result["seconds"].items()
    ]
    return table(rows)


def _name(preset: Preset) -> str:
    return preset or "floating point"


def _run(host: HostProcess, preset: Preset, steps: int, side: int, *, seed: int) -> float:
    graph = checkpoint_graph(
        PurePosixPath(BASE_PATH).name, preset=preset, seed=seed, side=side, steps=steps
    )
    started = time.perf_counter()
    entry = host.prompt(graph)
    seconds = time.perf_counter() - started
    error = failure(entry)
    if error:
        raise HostError(f"{_name(preset)} failed: {error}\n{host.tail()}")
    return seconds
