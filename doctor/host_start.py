"""Starts ComfyUI in this process like its `main.py`, with dynamic VRAM but without the server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def start(comfyui: Path, device_name: str | None, models: Path) -> tuple[Any, str]:
    """Start ComfyUI; returns (torch.device to compute on, dynamic VRAM: "on", or why it is off).

    It writes only into the folder `models`. Call it before anything imports torch, because
    comfy-aimdo must start and the allocator must be chosen first.
    """
    sys.path.insert(
        0, str(comfyui)
    )  # first, so that no other folder's nodes/ hides the host's nodes.py
    from comfy.cli_args import args, enables_dynamic_vram

    args.cpu = device_name == "cpu"
    if enables_dynamic_vram():
        _start_aimdo(args)
    import cuda_malloc  # noqa: F401 - chooses the allocator through the environment

    from .devices import chosen_device

    device = chosen_device(device_name)
    args.cpu = device.type == "cpu"
    import folder_paths

    folder_paths.models_dir = str(models)
    return device, _turn_on_dynamic_vram(args)


def _start_aimdo(args: Any) -> None:
    import comfy_aimdo.control as aimdo

    headroom = None if args.reserve_vram is None else int(args.reserve_vram * 1024**3)
    try:
        aimdo.init(simple_vram_headroom=headroom, nvml_pressure=not args.disable_nvml_pressure)
    except TypeError:  # versions before 0.4.11
        aimdo.init()


def _turn_on_dynamic_vram(args: Any) -> str:
    """Turn on dynamic VRAM like `main.py`; returns "on", or why it is off."""
    import comfy.memory_management
    import comfy.model_management as management
    import comfy.model_patcher
    import comfy_aimdo.control as aimdo
    from comfy.cli_args import enables_dynamic_vram

    if not enables_dynamic_vram():
        return "off: the device is a CPU"
    amd = management.is_amd() and management.rocm_version >= (7, 14)
    if not (management.is_nvidia() or amd):
        return "off: ComfyUI turns it on for NVIDIA, and for AMD from ROCm 7.14"
    if management.torch_version_numeric < (2, 8):
        return "off: it needs PyTorch 2.8"
    devices = management.get_all_torch_devices()
    try:
        started = aimdo.init_devices(
            (one.index, int(args.vram_headroom * 1024**3)) for one in devices
        )
    except TypeError:  # comfy-aimdo 0.4.9
        started = aimdo.init_devices(one.index for one in devices)
    if not started:
        return "off: comfy-aimdo did not start"
    aimdo.set_log_info()  # as ComfyUI does by default; else it reports each allocation to Python
    comfy.model_patcher.CoreModelPatcher = comfy.model_patcher.ModelPatcherDynamic
    comfy.memory_management.aimdo_enabled = True
    return "on"
