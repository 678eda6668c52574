"""Facts for a report: what is installed, and which backend computes each operation.

They have no names of people, machines or folders.
"""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import torch
from comfy_kitchen.registry import registry as kitchen

from ..taq_kernels.backends import registry

PACKAGES = (
    "comfy-kitchen",
    "comfy-aimdo",
    "triton",
    "triton-windows",
    "pytorch-triton-rocm",
    "safetensors",
    "numpy",
)
_WIDTH = 1280
"""Width of the layer for which backends are named."""


def facts(device: torch.device, comfyui: str | None) -> dict[str, Any]:
    """Name -> value; `comfyui` is the version of the ComfyUI that was found, None = none."""
    versions = {name: found for name in PACKAGES if (found := _version(name))}
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "ComfyUI": comfyui or "not found",
        "torch": str(torch.__version__),
        "CUDA": torch.version.cuda,
        "HIP": torch.version.hip,
        "device": str(device),
        **_of_device(device),
        **versions,
        "comfy-kitchen backends": {
            name: _state(one) for name, one in sorted(kitchen.list_backends().items())
        },
        "who computes": who_computes(device),
    }


def who_computes(device: torch.device) -> dict[str, str]:
    """Operation -> backend and reason, from the registry for `device`."""
    at = registry.machine(device)
    answers = {
        "Linear 8-bit": registry.linear(at, 8, _WIDTH),
        "Linear 4-bit": registry.linear(at, 4, _WIDTH, registry.ROTATION),
        "Conv2d 8-bit": registry.conv(at, (_WIDTH, _WIDTH, 3, 3)),
        "Conv2d 4-bit": registry.conv(at, (_WIDTH, _WIDTH, 3, 3)),
        "GroupNorm, SiLU and Conv2d": registry.normed_conv(at, (_WIDTH, _WIDTH, 3, 3)),
        "gated GELU": registry.gated_gelu(at),
        "attention, stored rows": registry.attention(at, 8, False),
    }
    return {operation: f"{name}: {why}" for operation, (name, why) in answers.items()}


def _of_device(device: torch.device) -> dict[str, Any]:
    if device.type != "cuda":
        return {"threads": torch.get_num_threads()}
    about = torch.cuda.get_device_properties(device)
    return {
        "GPU": about.name,
        "compute capability": "{}.{}".format(*torch.cuda.get_device_capability(device)),
        "GPU memory, MiB": about.total_memory // 2**20,
        "multiprocessors": about.multi_processor_count,
    }


def _state(backend: dict[str, Any]) -> str:
    if not backend["available"]:
        return f"not available ({backend['unavailable_reason']})"
    return "off" if backend["disabled"] else "on"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
