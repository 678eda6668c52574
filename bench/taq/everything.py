"""`personalq bench taq`: bytes at full size, TAQ against other tools, and serving.

Serving means many personalised models from one base.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

from ...comfyui_folder import find_comfyui
from .. import kept_results, unet_bytes
from . import command, kernels

TIMEOUT = 3600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench taq`."""
    parser.add_argument("--model", choices=("tiny", "sd15", "sdxl"), default="tiny")
    parser.add_argument(
        "--quick", action="store_true", help="the tiny UNet at 64 px, and the demo's for serving"
    )
    parser.add_argument("--side", type=int, default=256, help="pixels")
    parser.add_argument(
        "--checkpoint",
        type=Path,
        metavar="FILE",
        help="your own single-file checkpoint of that kind",
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--compiled", action="store_true", help="by torch.compile")
    parser.add_argument(
        "--comfyui", type=Path, help="ComfyUI's folder, for serving (default: look for one)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/taq.json"),
        help="saved as it goes; an interrupted run resumes",
    )
    parser.add_argument("--keep", action="store_true", help="write the table to bench/results")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text."""
    model, side = ("tiny", 64) if options.quick else (options.model, options.side)
    result = measure(
        model,
        side,
        options.checkpoint,
        options.repeats,
        options.compiled,
        options.comfyui,
        options.out,
    )
    if options.keep:
        keep(result)
    return result, report(result)


def measure(
    model: str,
    side: int,
    checkpoint: Path | None,
    repeats: int,
    compiled: bool,
    comfyui: Path | None,
    out: Path,
) -> dict[str, Any]:
    """Measure all parts; where there is no ComfyUI, say why its part is missing.

    Raises ValueError as `command.run` does, RuntimeError when serving fails.
    """
    result: dict[str, Any] = {}
    if model != "tiny":
        result["bytes"] = unet_bytes.measure(model)
    if torch.cuda.is_available():
        result["kernels"] = kernels.measure(torch.device("cuda"))
    result["compared"] = command.run(model, side, checkpoint, repeats, out=out, compiled=compiled)
    place, models = find_comfyui(comfyui), out.parent.resolve() / "serving"
    if place is None:
        result["not served"] = "no ComfyUI was found: give --comfyui"
    elif model == "sdxl":
        result["not served"] = "measured for SD 1.5 only"
    else:
        shutil.rmtree(models / "personalq", ignore_errors=True)  # what an earlier run quantized
        result["served"] = _served(place, models, "sd15" if model == "sd15" else "demo")
    return result


def report(result: dict[str, Any]) -> str:
    """Return the parts as Markdown."""
    parts = [command.report(result["compared"])]
    if "bytes" in result:
        parts.append(_bytes(result["bytes"]))
    if "kernels" in result:
        parts.append(f"```\n{kernels.report(result['kernels'])}\n```")
    parts.append(
        _serving(result["served"]) if "served" in result else f"Serving: {result['not served']}."
    )
    return "\n\n".join(parts) + "\n"


def keep(result: dict[str, Any]) -> None:
    """Write figures and table to bench/results, named after the model and the device."""
    settings = result["compared"]["settings"]
    name = f"taq_{settings['model']}_{settings['device']}"
    kept_results.keep(name, result, f"# TAQ, measured: {settings['model']}\n\n{report(result)}")


def _served(comfyui: Path, folder: Path, model: str) -> dict[str, Any]:
    line = [
        sys.executable,
        "-P",
        "-m",
        "personalq.bench.taq.serving",
        str(comfyui),
        str(folder),
        model,
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise RuntimeError(f"serving failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def _bytes(counted: dict[str, Any]) -> str:
    head = (
        f"| {counted['model']} UNet | fp16 MB | weights MB | of fp16 | with the rows of two "
        "prompts MB | of fp16 |"
    )
    rows = [head, "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for preset, found in counted["presets"].items():
        before, weights, after = (
            found[key] / 1e6 for key in ("bytes_before", "bytes_of_weights", "bytes_after")
        )
        shares = found["ratio_of_weights"], found["ratio"]
        rows.append(
            f"| {preset} | {before:.1f} | {weights:.1f} | {shares[0]:.4f} | {after:.1f} | "
            f"{shares[1]:.4f} |"
        )
    return "\n".join(rows)


def _serving(served: dict[str, Any]) -> str:
    whole = served["fp16_bytes"]
    names = served["presets"]
    rows = [
        ("first load and quantization, s", "first_s", "{:.1f}"),
        ("the same model again, s", "again_s", "{:.4f}"),
        ("another LoRA of the pooled base: load and switch, s", "new_lora_s", "{:.3f}"),
        ("back to a LoRA used before, s", "known_lora_s", "{:.4f}"),
        ("error of a LoRA beside the quantized base", "lora_error", "{:.4f}"),
        ("error of the base without it", "lora_left_out_error", "{:.4f}"),
        ("error of a fine-tune quantized whole", "whole_error", "{:.4f}"),
        ("error of it as base and difference", "difference_error", "{:.4f}"),
        ("bytes of that difference / fp16 UNet", "difference_of_fp16", "{:.3f}"),
        ("making the difference, s", "make_difference_s", "{:.0f}"),
        ("to a fine-tune of the pooled base: load and switch, s", "difference_switch_s", "{:.2f}"),
    ]
    table = [
        f"| {served['model']} | {' | '.join(names)} |",
        f"| --- | {' | '.join('---:' for _ in names)} |",
    ]
    table += [
        f"| {text} | {' | '.join(form.format(names[n][key]) for n in names)} |"
        for text, key, form in rows
    ]
    each = served["lora_bytes"]
    gigabyte = [f"{int((1e9 - names[n]['resident_bytes']) / each)} more at {n}" for n in names]
    lora = (
        "| bytes of another LoRA of rank 16 / fp16 UNet | "
        f"{' | '.join(f'{each / whole:.4f}' for _ in names)} |"
    )
    note = (
        "Random weights; the LoRAs and the fine-tune are synthetic (5 % of each weight's norm, in "
        "16 directions, or in 64 whose sizes fall as 1/i). Errors: relative L2 of the latent "
        "after one step, against the personalised model in full precision. In one GB, beside the "
        f"quantized base: {', '.join(gigabyte)}."
    )
    return "\n".join([*table, lora, "", note])
