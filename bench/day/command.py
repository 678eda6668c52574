"""`personalq bench day`: many personal models of one base, over a day of requests."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...comfyui_folder import find_comfyui
from ..kept_results import keep
from ..table import markdown_table
from .day import WAYS, Day

MODELS = ("demo", "sd15", "sdxl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench day`."""
    usual = Day()
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    parser.add_argument("--model", choices=MODELS, default=usual.model, help="layout of the base")
    parser.add_argument("--models", type=int, default=usual.models, help="personal models")
    parser.add_argument("--requests", type=int, default=usual.requests)
    parser.add_argument("--memory", type=float, default=usual.memory, help="main memory, GB")
    parser.add_argument("--card", type=float, default=usual.card, help="graphics memory, GB")
    parser.add_argument("--samples", type=int, default=usual.samples, help="of each time")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument(
        "--folder",
        type=Path,
        help="for the models, 3 GB (sd15) or 10 GB (sdxl); a temporary one unless it is given",
    )
    parser.add_argument("--keep", action="store_true", help="write the table to bench/results")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The measurement, as data and as text.

    Raises ValueError where there is no ComfyUI, and RuntimeError with the end of what failed.
    """
    comfyui = find_comfyui(options.comfyui)
    if comfyui is None:
        raise ValueError("this needs ComfyUI 0.33 or newer; set COMFYUI_PATH or give --comfyui")
    given = {name: getattr(options, name) for name in asdict(Day()) if hasattr(options, name)}
    day = Day(**given)
    if options.folder:
        result = measure(comfyui, options.folder.absolute(), day)
    else:
        with tempfile.TemporaryDirectory() as folder:
            result = measure(comfyui, Path(folder), day)
    text = report(result)
    if options.keep:
        keep(f"day_{day.model}", result, f"# A day of many models: {day.model}\n\n{text}\n")
    return result, text


def measure(comfyui: Path, folder: Path, day: Day) -> dict[str, Any]:
    """Replay `day` in a process with ComfyUI."""
    command = [sys.executable, "-P", "-m", "personalq.bench.day.replay"]
    done = subprocess.run(
        [*command, str(comfyui), str(folder)],
        input=json.dumps(asdict(day)),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the day could not be replayed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def report(result: dict[str, Any]) -> str:
    """The measurement as Markdown tables."""
    found, each = result["found"], result["requests"]

    def row(text: str, name: str, form: str, scale: float = 1.0) -> tuple[object, ...]:
        values = (one[name] for one in found.values())
        return text, *("" if value is None else form.format(value / scale) for value in values)

    counts = [
        (result["model"], *found),
        row("on the card, at most, MB", "card_bytes", "{:,.0f}", 1e6),
        row("requests whose model was on the card", "on_card", "{:.0%}", each),
        row("in main memory, at most, GB", "memory_bytes", "{:.1f}", 1e9),
        row("personal models in memory at the end", "in_memory", "{:,.0f}"),
        row("personal models read from disk", "loads", "{:,.0f}"),
        row("dropped for others", "dropped", "{:,.0f}"),
        row("bases read again", "base_loads", "{:,.0f}"),
    ]
    times = [
        ("seconds of processor time", *found),
        row("the base after a start, with its quantized form from the disk", "first_s", "{:.1f}"),
        row("to a model that must be read", "new_s", "{:.2f}"),
        row("to a model in main memory", "known_s", "{:.2f}"),
        row("besides, the LoRA into the text encoders", "text_s", "{:.2f}"),
    ]
    return (
        f"{result['requests']:,} requests for {result['models']:,} personal models by Zipf's law "
        f"(exponent {result['zipf']}); {result['memory']:.0f} GB of main memory, of which the pool "
        f"takes half, and a card of {result['card']:.0f} GB. A LoRA of rank 16 for UNet and text "
        f"encoders has {result['lora_bytes'] / 1e6:.1f} MB.\n\n{markdown_table(counts)}\n\n"
        f"{markdown_table(times)}\n\nBytes of the card are those of UNet and LoRAs, without text "
        "encoders, VAE and activations, and are counted on tensors without storage. Of whole "
        "checkpoints the card keeps those used last. Times are medians of "
        f"{result['samples']} or more on {result['processor']}, of all threads, from cached files; "
        "no graphics card was there. Weights are random."
    )
