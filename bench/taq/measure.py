"""Measure every contender on one UNet and one set of inputs, against floating point.

Measured are bytes, error and time.
"""

from __future__ import annotations

import copy
import gc
import json
import statistics
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ...atomic_write import write_whole
from .contender import Contender
from .inputs import Eps, Inputs, make_inputs, predict, relative_errors
from .stored import stored_bytes
from .unets import build_unet

FLOAT = "floating point"


@dataclass(frozen=True)
class Bench:
    """What all contenders share."""

    unet: nn.Module
    inputs: Inputs
    reference: Eps
    """Output in float32, whatever dtype is measured."""
    float_step: Callable[[], float]
    repeats: int
    compiled: bool


def measure(settings: dict[str, Any], contenders: Iterable[Contender], out: Path) -> dict[str, Any]:
    """Return the run of these `settings` (`command.settings`), with a row for each contender.

    `out` holds a list of runs and is written after each row. Rows of a run with equal settings are
    not measured again, so an interrupted run resumes; after a change of the code give another file.
    Contenders that cannot run, or fail, are listed with the reason under "not run" and tried again
    next time.
    """
    runs: list[dict[str, Any]] = json.loads(out.read_text("utf-8")) if out.is_file() else []
    run = next((run for run in runs if run["settings"] == settings), None)
    if run is None:
        run = {"settings": settings, "rows": {}}
        runs.append(run)
    run["not run"] = {}
    bench: Bench | None = None
    for contender in contenders:
        if contender.name in run["rows"]:
            continue
        reasons = contender.reasons()
        if not reasons:
            bench = bench or _bench(settings)
            if FLOAT not in run["rows"]:
                run["rows"][FLOAT] = _float_row(bench)
            try:
                with _compiled_often(bench.compiled):
                    run["rows"][contender.name] = _row(contender, bench)
            except (
                Exception
            ) as error:  # one tool that fails must not cost the measurements of the others
                reasons = [f"failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}"]
            gc.collect()
        if reasons:
            run["not run"][contender.name] = reasons
        write_whole(out, (json.dumps(runs, indent=1) + "\n").encode())
    return run


def _bench(settings: dict[str, Any]) -> Bench:
    """Return the UNet on its device, and its output in float32.

    That is without TF32, which rounds to 10 bits.
    """
    device = torch.device(settings["device"])
    checkpoint = settings["checkpoint"] and Path(settings["checkpoint"])
    unet = build_unet(settings["model"], settings["seed"], checkpoint)
    inputs = make_inputs(unet, settings["side"], settings["seed"])
    with torch.backends.cudnn.flags(allow_tf32=False):
        reference = predict(unet.to(device), inputs.to(device, torch.float32))
    dtype, compiled = getattr(torch, settings["dtype"]), settings["compiled"]
    if dtype != torch.float32:
        unet.to(dtype)
    inputs = inputs.to(device, dtype)
    return Bench(
        unet, inputs, reference, _step(unet, inputs, compiled), settings["repeats"], compiled
    )


def _float_row(bench: Bench) -> dict[str, Any]:
    eps = predict(bench.unet, bench.inputs)
    text = (torch.dist(eps.cond, eps.uncond) / eps.uncond.norm()).item()
    size = stored_bytes(bench.unet)
    return {
        "quantizes": "",
        "simulated": False,
        "bytes": size,
        "sampling_bytes": size,
        "errors": relative_errors(eps, bench.reference),
        "ratio": 1.0,
        "text_effect": text,
        **_peak(size, bench.float_step, bench.inputs),
    }


def _row(contender: Contender, bench: Bench) -> dict[str, Any]:
    unet = contender.apply(copy.deepcopy(bench.unet))
    size = stored_bytes(unet, contender.scales_in_model_dtype)
    eps = predict(unet, bench.inputs)
    sampling = contender.sampling_bytes(unet) if contender.sampling_bytes else size
    step = _step(unet, bench.inputs, bench.compiled)
    float_seconds, seconds = _in_turn(bench.float_step, step, bench.repeats)
    return {
        "quantizes": contender.quantizes,
        "simulated": contender.simulated,
        "bytes": size,
        "sampling_bytes": sampling,
        "errors": relative_errors(eps, bench.reference),
        "ratio": statistics.median(seconds) / statistics.median(float_seconds),
        "seconds": seconds,
        "float_seconds": float_seconds,
        **_peak(sampling, step, bench.inputs),
    }


def _peak(resident: int, step: Callable[[], float], inputs: Inputs) -> dict[str, int]:
    """Return the peak bytes of sampling: the weights, and what a step allocates.

    Only on CUDA; empty elsewhere.
    """
    device = inputs.latent.device
    if device.type != "cuda":
        return {}
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    step()
    return {"peak_bytes": resident + torch.cuda.max_memory_allocated(device) - before}


def _step(unet: nn.Module, inputs: Inputs, compiled: bool) -> Callable[[], float]:
    """Return a function that runs one step and returns its seconds."""
    runs = torch.compile(unet) if compiled else unet
    device = inputs.latent.device

    def step() -> float:
        started = time.perf_counter()
        predict(runs, inputs)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        return time.perf_counter() - started

    return step


def _compiled_often(compiled: bool) -> AbstractContextManager[object]:
    """Raise PyTorch's limit on recompilations.

    Every contender compiles the UNet's functions again; past the limit of 8 they would run
    uncompiled.
    """
    limits: dict[str, Any] = {"recompile_limit": 1024, "accumulated_recompile_limit": 4096}
    return torch._dynamo.config.patch(**limits) if compiled else nullcontext()


def _in_turn(
    first: Callable[[], float], second: Callable[[], float], repeats: int
) -> tuple[list[float], list[float]]:
    """Return the seconds of both, run in turn so that a busy machine slows both alike.

    The first turn is a warm-up and does not count.
    """
    turns = [(first(), second()) for _ in range(repeats + 1)][1:]
    return [turn[0] for turn in turns], [turn[1] for turn in turns]
