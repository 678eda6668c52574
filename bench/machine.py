"""Names of the hardware that measurements ran on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def device_name(device: torch.device) -> str:
    """Return the name of the GPU, or of the processor with its vector instructions."""
    import torch

    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    names = _processors()
    return (
        f"{names[0]} ({torch.backends.cpu.get_cpu_capability()})" if names else platform.machine()
    )


def processor() -> str:
    """Return the processor's own name, with the number of its cores."""
    names = _processors()
    return f"{names[0]}, {len(names)} cores" if names else platform.machine()


def load_average() -> float | None:
    """Return how many processes were ready to run in the last minute; None on Windows."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def environment(*packages: str) -> dict[str, str]:
    """Return the processor, and the versions of Python and of these packages, by name."""
    here = {"processor": processor(), "python": platform.python_version()}
    return here | {name: version(name) for name in packages}


def _processors() -> list[str]:
    """Return the name of each core on Linux; an empty list elsewhere."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
