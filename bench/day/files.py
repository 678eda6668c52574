"""A base checkpoint and a LoRA of full size, with random weights, and the many names of the LoRA.

Runs in ComfyUI's process: text encoders and VAE have the shapes of the host's own classes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor

from ...demo.weights import UNET, base_checkpoint
from ..unet_shapes import DEMO, SD15, SDXL, UNetConfig, unet_shapes

RANK = 16
VAE = {
    "double_z": True,
    "z_channels": 4,
    "resolution": 256,
    "in_channels": 3,
    "out_ch": 3,
    "ch": 128,
    "ch_mult": [1, 2, 4, 4],
    "num_res_blocks": 2,
    "attn_resolutions": [],
    "dropout": 0.0,
}
"""The configuration of the VAE of SD 1.5 and SDXL."""
_TILE = 2**20


class Layout(NamedTuple):
    """Which shapes a model has."""

    unet: UNetConfig
    host_class: str
    """The name of the host's class for it; "" for the demo's small text encoder and VAE."""
    text_prefixes: dict[str, str]
    """Prefix of a text encoder's layers in the file or the host -> that in a LoRA of kohya's."""


LAYOUTS = {
    "demo": Layout(DEMO, "", {"cond_stage_model.transformer.": "lora_te_"}),
    "sd15": Layout(SD15, "SD15", {"clip_l.transformer.": "lora_te_"}),
    "sdxl": Layout(
        SDXL,
        "SDXL",
        {"clip_l.transformer.": "lora_te1_", "clip_g.transformer.": "lora_te2_"},
    ),
}


def write_base(folder: Path, model: str) -> Path:
    """Write the checkpoint of a layout, in float16, unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "base.safetensors"
    if not path.exists():
        layout, fill = LAYOUTS[model], _filler()
        tensors = {UNET + name: fill(shape) for name, shape in unet_shapes(layout.unet).items()}
        rest = _demo_rest() if not layout.host_class else _full_rest(layout.host_class, fill)
        save_file(tensors | rest, path)
    return path


def write_loras(folder: Path, model: str, count: int) -> list[Path]:
    """Write one LoRA of rank 16 with `count` names; each name is a model of its own to the pack.

    It is for all Linear layers and 1x1 convolutions of the transformers, and for those of the text
    encoders' layers, as trainers write it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / "lora.safetensors"
    if not first.exists():
        save_file(_lora(LAYOUTS[model]), first)
    paths = [folder / f"personal-{number:04}.safetensors" for number in range(count)]
    for path in paths:
        if not path.exists():
            os.link(first, path)
    return paths


def _lora(layout: Layout) -> dict[str, Tensor]:
    fill = _filler()
    parts = (".transformer_blocks.", ".proj_in.", ".proj_out.")
    shapes = {
        "lora_unet_" + name: shape
        for name, shape in unet_shapes(layout.unet).items()
        if len(shape) > 1 and any(part in name for part in parts)
    }
    shapes |= {
        name: shape
        for name, shape in _text_shapes(layout)
        if len(shape) == 2 and ".layers." in name
    }
    tensors: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        key, kernel = name.removesuffix(".weight").replace(".", "_"), shape[2:]
        tensors[f"{key}.lora_down.weight"] = fill((RANK, shape[1], *kernel))
        tensors[f"{key}.lora_up.weight"] = 0.05 * fill((shape[0], RANK, *[1] * len(kernel)))
        tensors[f"{key}.alpha"] = torch.tensor(float(RANK)).half()
    return tensors


def _text_shapes(layout: Layout) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(name of the weight as kohya's LoRAs call it, shape) of the text encoders."""
    state = _text_encoders(layout.host_class)[0] if layout.host_class else _demo_rest()
    for name, weight in state.items():
        for prefix, other in layout.text_prefixes.items():
            if name.startswith(prefix):
                yield other + name.removeprefix(prefix), tuple(weight.shape)


def _demo_rest() -> dict[str, Tensor]:
    """Text encoder and VAE of the demo's base."""
    tensors = base_checkpoint().items()
    return {name: torch.from_numpy(array) for name, array in tensors if not name.startswith(UNET)}


def _text_encoders(host_class: str) -> tuple[dict[str, Tensor], Any]:
    """The host's state dict of the text encoders, without values, and its configuration."""
    import comfy.ops
    import comfy.supported_models

    made = getattr(comfy.supported_models, host_class)
    config = made(dict(made.unet_config))
    options = {"custom_operations": comfy.ops.disable_weight_init}
    clip = config.clip_target({}).clip(device="meta", dtype=torch.float16, model_options=options)
    return clip.state_dict(), config


def _full_rest(host_class: str, fill: Callable[[tuple[int, ...]], Tensor]) -> dict[str, Tensor]:
    from comfy.ldm.models.autoencoder import AutoencoderKL

    text, config = _text_encoders(host_class)
    with torch.device("meta"):
        vae = AutoencoderKL(ddconfig=VAE, embed_dim=4).state_dict()
    saved = config.process_clip_state_dict_for_saving(text)
    saved |= config.process_vae_state_dict_for_saving(vae)
    return {
        name: fill(tuple(weight.shape))
        for name, weight in saved.items()
        if weight.is_floating_point()
    }


def _filler() -> Callable[[tuple[int, ...]], Tensor]:
    """A function that gives random values of a shape, as large as in a trained network."""
    tile = torch.randn(_TILE, generator=torch.Generator().manual_seed(0)).half()

    def fill(shape: tuple[int, ...]) -> Tensor:
        if len(shape) < 2:
            return (
                torch.zeros(shape, dtype=torch.float16) if not shape else torch.ones(shape).half()
            )
        size = torch.Size(shape).numel()
        values = tile.repeat(-(-size // _TILE))[:size].view(shape)
        return values * (0.7 * (size / shape[0]) ** -0.5)

    return fill
