"""ComfyUI with dynamic VRAM (comfy-aimdo), NVIDIA's default, on a machine without a CUDA device.

ComfyUI's own classes run: `ModelPatcherDynamic`, the Linear that has no weight until it is loaded,
the loaders. Only what needs the driver is emulated: pinned host buffers, virtual device memory, and
the file mapping of comfy-aimdo.
"""

from __future__ import annotations

import comfy.memory_management
import comfy.model_patcher
import comfy.utils
import comfy_aimdo.host_buffer
import comfy_aimdo.model_vbar
import pytest
from safetensors import safe_open


class DynamicOnCPU(comfy.model_patcher.ModelPatcherDynamic):
    """The host gives a device without virtual memory an ordinary patcher; this one stays dynamic
    there.
    """

    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def partially_unload(self, device_to, memory_to_free=0, force_patch_weights=False):
        return self.restore_loaded_backups()


class HostBuffer:
    """Pinned memory that nothing is put into."""

    size = 0

    def __init__(self, *sizes):
        pass

    def truncate(self, *args, **kwargs):
        pass


def _load_safetensors(path):
    with safe_open(path, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118


@pytest.fixture
def dynamic_vram(monkeypatch):
    """Dynamic VRAM is on, as `main.py` turns it on for NVIDIA."""
    monkeypatch.setattr(comfy.memory_management, "aimdo_enabled", True)
    monkeypatch.setattr(comfy.model_patcher, "CoreModelPatcher", DynamicOnCPU)
    monkeypatch.setattr(comfy.utils, "load_safetensors", _load_safetensors)
    monkeypatch.setattr(comfy_aimdo.host_buffer, "HostBuffer", HostBuffer)
    monkeypatch.setattr(comfy_aimdo.model_vbar, "vbars_analyze", lambda device: 0)
