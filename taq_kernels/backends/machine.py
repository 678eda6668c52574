"""What the choice of a backend needs to know about a device."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache

import torch
from comfy_kitchen.exceptions import NoCapableBackendError
from comfy_kitchen.registry import registry as kitchen


@dataclass(frozen=True)
class Machine:
    """A device, described by what the choice of a backend depends on."""

    kind: str
    """"cpu", "cuda" (NVIDIA), "hip" (AMD), or torch's name for another device type."""
    capability: tuple[int, int] | None = None
    """CUDA compute capability; None where torch sees no such device."""
    triton: tuple[int, int] | None = None
    """Triton's version; None = not installed."""
    kitchen: str = "eager"
    """The fastest backend of comfy-kitchen that the host has turned on."""


def machine(device: torch.device | str) -> Machine:
    """Describe `device`. Only this function asks torch, Triton and comfy-kitchen about it.

    Every layer calls it each time it runs, so what cannot change is looked up only once.
    """
    device = torch.device(device)
    if device.type != "cuda":
        return Machine(device.type)
    if torch.version.hip is not None:
        return Machine("hip")
    return Machine("cuda", _capability(device), _triton_version(), _kitchen_backend())


@cache
def _capability(device: torch.device) -> tuple[int, int] | None:
    seen = torch.version.cuda is not None and torch.cuda.is_available()
    return torch.cuda.get_device_capability(device) if seen else None


@cache
def _triton_version() -> tuple[int, int] | None:
    if importlib.util.find_spec("triton") is None:
        return None
    import triton

    major, minor = triton.__version__.split(".")[:2]
    return int(major), int(minor)


def _kitchen_backend() -> str:
    try:
        return kitchen.get_capable_backend("int8_linear")
    except NoCapableBackendError:
        return "eager"
