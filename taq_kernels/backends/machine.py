"""What the choice of a backend needs to know about a device."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from comfy_kitchen.exceptions import NoCapableBackendError
from comfy_kitchen.registry import registry as kitchen

SLOW_INT8 = "this CPU multiplies int8 slower than float32"


@dataclass(frozen=True)
class Machine:
    """A device, described by what the choice of a backend depends on."""

    kind: str
    """"cpu", "cuda" (NVIDIA), "hip" (AMD), or torch's name for another device type."""
    capability: tuple[int, int] | None = None
    """CUDA compute capability; None where torch sees no such device."""
    triton: tuple[int, int] | None = None
    """Triton's version; None = not installed, or it cannot be loaded."""
    kitchen: str = "eager"
    """The fastest backend of comfy-kitchen that the host has turned on."""
    slow_int8: bool = False
    """Whether a CPU multiplies int8 matrices slower than those in float32."""
    triton_error: str = ""
    """Why the installed Triton cannot launch a kernel on a CUDA device; "" = it can."""


def machine(device: torch.device | str) -> Machine:
    """Describe `device`. Only this function asks torch, Triton and comfy-kitchen about it.

    Every layer calls it each time it runs, so what cannot change is looked up only once.
    """
    device = torch.device(device)
    if device.type == "cpu":
        return Machine("cpu", slow_int8=_slow_int8())
    if device.type != "cuda":
        return Machine(device.type)
    if torch.version.hip is not None:
        return Machine("hip")
    return _cuda(device)


@torch.compiler.assume_constant_result
def _cuda(device: torch.device) -> Machine:
    return _seen_cuda(device)


@cache
def _seen_cuda(device: torch.device) -> Machine:
    capability, triton = _capability(device), _triton_version()
    error = _triton_error(device) if capability and triton else ""
    return Machine("cuda", capability, triton, _kitchen_backend(), triton_error=error)


@cache
def _capability(device: torch.device) -> tuple[int, int] | None:
    seen = torch.version.cuda is not None and torch.cuda.is_available()
    return torch.cuda.get_device_capability(device) if seen else None


@cache
def _triton_version() -> tuple[int, int] | None:
    """The version; None also of a Triton that cannot be loaded, as after another Python's."""
    try:
        import triton
    except ImportError:
        return None
    major, minor = triton.__version__.split(".")[:2]
    return int(major), int(minor)


def _triton_error(device: torch.device) -> str:
    """Why Triton cannot launch a kernel on `device`; "" = it can.

    At its first launch it compiles a stub in C, for which Linux may lack the compiler or Python's
    headers.
    """
    try:
        from .triton.device import launch_nothing

        with torch.cuda.device(device):
            launch_nothing()
    except Exception as error:  # compiler, driver and folders each raise errors of their own
        return next(iter(str(error).splitlines()), type(error).__name__)
    return ""


def _kitchen_backend() -> str:
    try:
        return kitchen.get_capable_backend("int8_linear")
    except NoCapableBackendError:
        return "eager"


@torch.compiler.assume_constant_result
def _slow_int8() -> bool:
    return _slower_in_int8()


@cache
def _slower_in_int8() -> bool:
    """Multiply both ways. Torch does not say what its library has an int8 kernel for: without
    VNNI's instructions it takes ten times as long as in float32.
    """
    codes, weight = torch.ones(128, 512, dtype=torch.int8), torch.ones(512, 512, dtype=torch.int8)
    values, floats = codes.float(), weight.float()
    return _seconds(lambda: torch._int_mm(codes, weight.T)) > _seconds(lambda: values @ floats.T)


def _seconds(run: Callable[[], object]) -> float:
    """The shortest time of a few, because other programs run as well."""
    times = []
    for _ in range(4):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return min(times)
