"""Measures the time and memory of a call on a device."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

MIB = 2**20
_WARM_UP = 3
_CALLS = {"cpu": 3, "cuda": 20}
_OTHER_CALLS = 10

Call = Callable[[], Any]


def wait_for(device: torch.device) -> None:
    """Return when `device` has finished all its work."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def first_call(run: Call, device: torch.device) -> tuple[Any, float]:
    """Call `run` once; returns its result and the seconds that it took."""
    wait_for(device)
    started = time.perf_counter()
    out = run()
    wait_for(device)
    return out, time.perf_counter() - started


def milliseconds(run: Call, device: torch.device) -> float:
    """Median time of several calls, after a few calls to warm up.

    It is measured with CUDA events, or by the clock on other devices. If launching a call takes
    longer than computing it, this is the time to launch it.
    """
    for _ in range(1 if device.type == "cpu" else _WARM_UP):
        run()
    calls = range(_CALLS.get(device.type, _OTHER_CALLS))
    if device.type == "cuda":
        return _between_events(run, device, calls)
    return statistics.median(1000 * first_call(run, device)[1] for _ in calls)


def launch_milliseconds(run: Call, device: torch.device) -> float | None:
    """Median time until a call returns, while the device may still compute; None on a CPU."""
    if device.type == "cpu":
        return None
    times = []
    for _ in range(5):
        wait_for(device)
        started = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - started))
    wait_for(device)
    return statistics.median(times)


def peak_mib(run: Call, device: torch.device) -> float | None:
    """Peak MiB that PyTorch allocates in a call, minus those before it; None without CUDA."""
    if device.type != "cuda":
        return None
    wait_for(device)
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    out = run()
    wait_for(device)
    del out
    return (torch.cuda.max_memory_allocated(device) - before) / MIB


def _between_events(run: Call, device: torch.device, calls: range) -> float:
    with torch.cuda.device(device):
        pairs = []
        for _ in calls:
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            run()
            end.record()
            pairs.append((start, end))
        torch.cuda.synchronize()
        return statistics.median(start.elapsed_time(end) for start, end in pairs)
