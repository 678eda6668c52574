"""A base and a LoRA of random weights in the demo's layout, for tests that hold for any weights.

A tensor's values depend on its name alone, so every run makes the same files.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from personalq.bench.unet_shapes import DEMO, unet_shapes

RANK = 4
LORA_EFFECT = 0.5
"""Size of the LoRA's difference, relative to the weight it changes (Frobenius norms)."""
_UNET_GAIN = 0.7
_PARTS = ("model.diffusion_model.", "first_stage_model.", "cond_stage_model.transformer.")
_LAST = "first_stage_model.taesd_decoder.19"


def write_base(demo_base: Path, path: Path) -> None:
    """The checkpoint `demo_base` with every tensor random: matrices that keep a signal's size."""
    with safe_open(demo_base, "pt") as file:
        shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    tensors = {name: _random(name, shape) for name, shape in shapes.items()}
    tensors[f"{_LAST}.weight"] *= 0.1  # mid grey and soft, or every pixel would be black or full
    tensors[f"{_LAST}.bias"] += 0.5
    save_file(tensors, path)


def write_lora(path: Path) -> None:
    """A LoRA of the base's transformers, with kohya's key names."""
    tensors: dict[str, Tensor] = {}
    for name, shape in unet_shapes(DEMO).items():
        if len(shape) < 2 or not any(
            part in name for part in (".transformer_blocks.", ".proj_in.", ".proj_out.")
        ):
            continue
        outputs, inputs, *kernel = shape  # 1x1 for the projections that are convolutions
        key = "lora_unet_" + name.removesuffix(".weight").replace(".", "_")
        down = _normal(f"{name}.down", (RANK, inputs)) * inputs**-0.5
        up = _normal(f"{name}.up", (outputs, RANK)) * LORA_EFFECT * _UNET_GAIN * RANK**-0.5
        tensors[f"{key}.lora_down.weight"] = down.reshape(RANK, inputs, *kernel).half()
        tensors[f"{key}.lora_up.weight"] = up.reshape(outputs, RANK, *kernel).half()
        tensors[f"{key}.alpha"] = torch.tensor(RANK, dtype=torch.float16)
    save_file(tensors, path)


def _random(name: str, shape: tuple[int, ...]) -> Tensor:
    prefix = next(part for part in _PARTS if name.startswith(part))
    if name.endswith(("bias", "vae_shift")):
        return torch.zeros(shape, dtype=torch.float16)
    if len(shape) < 2:
        return torch.ones(shape, dtype=torch.float16)
    gain = _UNET_GAIN if prefix == _PARTS[0] else 1.0
    size = 0.02 if "embedding" in name else gain * torch.Size(shape[1:]).numel() ** -0.5
    return (_normal(name.removeprefix(prefix), shape) * size).half()


def _normal(name: str, shape: tuple[int, ...]) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(zlib.crc32(name.encode())))
