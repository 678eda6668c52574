"""Several people at once through one ComfyUI: pictures a minute, waiting times, peak memory.

Each person asks for one demo model after another by name, and waits for each picture. ComfyUI draws
them one by one; Repo Check-in loads the models, and TAQ Quantize Model quantizes them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from ..comfyui_folder import find_comfyui
from ..demo.host_process import HostError, HostProcess, device_arguments, failure, new_client_id
from ..demo.repository import make_demo
from ..demo.request_graph import request_graph
from .kept_results import keep
from .machine import load_average, processor
from .serving.command import requests_of
from .table import markdown_table

Preset = Literal["W8A8", "W4A8"] | None
WAYS: dict[str, tuple[Preset, list[str]]] = {
    "fp32, as ComfyUI runs on a CPU": (None, []),
    "fp16 weights": (None, ["--fp16-unet"]),
    "W8A8": ("W8A8", []),
    "W4A8": ("W4A8", []),
}
"""Name -> preset of TAQ, and further arguments of ComfyUI."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench users`."""
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    parser.add_argument("--demo", type=Path, default=Path("out/demo"), help="demo repository")
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--requests", type=int, default=100, help="of all users together")
    parser.add_argument("--side", type=int, default=128, help="pixels")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--ways", nargs="+", choices=tuple(WAYS), default=tuple(WAYS))
    parser.add_argument("--keep", action="store_true", help="write the table to bench/results")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The measurement, as data and as text. Raises ValueError where there is no ComfyUI."""
    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("this needs ComfyUI 0.33 or newer; set COMFYUI_PATH or give --comfyui")
    demo = make_demo(options.demo).folder.absolute()
    requests = requests_of(demo, options.requests)
    result: dict[str, Any] = {
        "processor": processor(),
        "load_average": load_average(),
        "users": options.users,
        "requests": options.requests,
        "models": len({name for _, name in requests}),
        "side": options.side,
        "steps": options.steps,
        "found": {},
    }
    for way in options.ways:
        result["found"][way] = measure(comfyui, demo, way, requests, options)
    text = report(result)
    if options.keep:
        keep("users", result, f"# Several people at once\n\n{text}\n")
    return result, text


def measure(
    comfyui: Path,
    demo: Path,
    way: str,
    requests: Sequence[tuple[str, str]],
    options: argparse.Namespace,
) -> dict[str, Any]:
    """All requests through a ComfyUI of its own, which starts with nothing in memory."""
    preset, more = WAYS[way]
    arguments = [*device_arguments(), *more]
    with (
        tempfile.TemporaryDirectory() as folder,
        HostProcess(comfyui, demo, Path(folder), arguments=arguments) as host,
    ):

        def draw(numbered: tuple[int, tuple[str, str]]) -> float:
            seed, (request, _) = numbered
            graph = request_graph(
                request, preset=preset, seed=seed, side=options.side, steps=options.steps
            )
            started = time.perf_counter()
            entry = host.prompt(graph, new_client_id(), timeout=3600)
            if error := failure(entry):
                raise HostError(f"{way}: {error}\n{host.tail()}")
            return time.perf_counter() - started

        before, _ = _spent(host.pid)
        started = time.perf_counter()
        with ThreadPoolExecutor(options.users) as people:
            seconds = sorted(people.map(draw, enumerate(requests)))
        whole = time.perf_counter() - started
        after, peak = _spent(host.pid)
    return {
        "a_minute": len(requests) / whole * 60,
        "p50_s": statistics.median(seconds),
        "p95_s": seconds[int(0.95 * (len(seconds) - 1))],
        "processor_s": (after - before) / len(requests),
        "peak_bytes": peak,
        "load_average": load_average(),
    }


def _spent(process: int) -> tuple[float, int]:
    """Seconds of processor time, and the most bytes of main memory, of a process so far.

    Linux tells them; elsewhere they are 0.
    """
    folder = Path(f"/proc/{process}")
    if not folder.exists():
        return 0.0, 0
    ticks = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
    lines = (folder / "status").read_text().splitlines()
    [peak] = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), 1024 * int(peak)


def report(result: dict[str, Any]) -> str:
    """The measurement as a Markdown table."""
    rows: list[tuple[object, ...]] = [
        (
            "UNet",
            "pictures a minute",
            "p50 s",
            "p95 s",
            "processor s a picture",
            "peak memory of ComfyUI MB",
            "load of the machine after",
        )
    ]
    for way, found in result["found"].items():
        times = [f"{found[name]:.1f}" for name in ("a_minute", "p50_s", "p95_s")]
        spent = [f"{found['processor_s']:.1f}", f"{found['peak_bytes'] / 1e6:.0f}"]
        load = "" if found["load_average"] is None else f"{found['load_average']:.0f}"
        rows.append((way, *times, *(spent if found["peak_bytes"] else ["", ""]), load))
    load = result["load_average"]
    before = "" if load is None else f" with a load of {load} before"
    return (
        f"{result['users']} people, {result['requests']} requests over {result['models']} demo "
        f"models, {result['side']} px, {result['steps']} steps, one ComfyUI on "
        f"{result['processor']}{before}. A time is that "
        "from the request to its picture, with the queue, the loading of models and, in the "
        f"first requests, their quantization.\n\n{markdown_table(rows)}"
    )
