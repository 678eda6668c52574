"""Runs a few steps of the host's sampler; records its UNet's inputs, outputs, times and memory."""

from __future__ import annotations

import itertools
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import comfy.memory_management
import comfy.model_management
import comfy.model_prefetch
import comfy.sample
import comfy_aimdo.model_vbar
import torch
from torch import Tensor

from .timing import MIB, wait_for

TEXT_WIDTH, POOLED_WIDTH = 768, 1280


@dataclass
class Run:
    """The record of sampling one latent from noise."""

    latent: Tensor
    given: dict[str, Tensor]
    """x, timesteps and context of the UNet's first call."""
    out: Tensor
    """The output of that call, which has no errors of earlier steps in it."""
    first_seconds: float
    """Time until the first step was done, including loading."""
    step_ms: float | None
    """Median time of the later steps."""
    launch_ms: float
    """CPU time of a call of the UNet, which returns before the device has finished."""
    peak_mib: float | None
    device_mib: float | None
    """By how much the device's free memory fell, whoever allocated it; None without CUDA."""


@dataclass
class _Watch:
    """Hooks on the UNet that record its calls."""

    started: float = 0.0
    launches: list[float] = field(default_factory=list)
    given: dict[str, Tensor] = field(default_factory=dict)
    out: Any = None

    def before(self, module: Any, args: tuple, kwargs: dict) -> None:
        if not self.given:
            named = {"x": args[0], "timesteps": args[1], "context": kwargs["context"]}
            self.given = {name: part.clone() for name, part in named.items()}
        self.started = time.perf_counter()

    def after(self, module: Any, args: tuple, kwargs: dict, out: Tensor) -> None:
        self.launches.append(1000 * (time.perf_counter() - self.started))
        self.out = out.clone() if self.out is None else self.out


def prompt(seed: int, width: int = TEXT_WIDTH) -> list:
    """CONDITIONING with a random encoded text, and the pooled output that SDXL reads."""
    generator = torch.Generator().manual_seed(seed)
    text = torch.randn(1, 77, width, generator=generator)
    return [[text, {"pooled_output": torch.randn(1, POOLED_WIDTH, generator=generator)}]]


def sample(model: Any, size: int, steps: int, text_width: int = TEXT_WIDTH) -> Run:
    """Sample a latent of `size` x `size` with Euler at CFG 7, from fixed noise."""
    device = model.load_device
    noise = torch.randn(1, 4, size, size, generator=torch.Generator().manual_seed(0))
    watch, ends, free = _Watch(), [], [_free_mib(device)]

    def done(*_: Any) -> None:
        wait_for(device)
        ends.append(time.perf_counter())
        free.append(_free_mib(device))

    unet = model.model.diffusion_model
    hooks = [
        unet.register_forward_pre_hook(watch.before, with_kwargs=True),
        unet.register_forward_hook(watch.after, with_kwargs=True),
    ]
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
    started = time.perf_counter()
    try:
        with torch.inference_mode():
            latent = comfy.sample.sample(
                model,
                noise,
                steps,
                7.0,
                "euler",
                "normal",
                prompt(1, text_width),
                prompt(2, text_width),
                torch.zeros_like(noise),
                seed=1,
                disable_pbar=True,
                callback=done,
            )
    finally:
        for hook in hooks:
            hook.remove()
        _end_node()
    peak = (
        (torch.cuda.max_memory_allocated(device) - before) / MIB if device.type == "cuda" else None
    )
    between = [1000 * (end - start) for start, end in itertools.pairwise(ends)]
    return Run(
        latent.clone(),
        watch.given,
        watch.out,
        ends[0] - started,
        statistics.median(between) if between else None,
        statistics.median(watch.launches),
        peak,
        free[0] - min(free) if device.type == "cuda" else None,
    )


def _free_mib(device: torch.device) -> float:
    return torch.cuda.mem_get_info(device)[0] / MIB if device.type == "cuda" else 0.0


def _end_node() -> None:
    """Do what the host does after each node under dynamic VRAM."""
    if comfy.memory_management.aimdo_enabled:
        comfy.model_management.reset_cast_buffers()
        comfy.model_prefetch.cleanup_prefetch_queues()
        comfy_aimdo.model_vbar.vbars_reset_watermark_limits()
