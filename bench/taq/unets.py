"""Runnable UNets of diffusers, with random weights from a seed or those of a checkpoint."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ...taq_kernels.layouts.formats import layer_weight

CONFIGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "sample_size": 32,
        "block_out_channels": (64, 128, 256),
        "layers_per_block": 1,
        "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
        "cross_attention_dim": 128,
        "attention_head_dim": 4,
    },
    "sd15": {"sample_size": 64, "cross_attention_dim": 768, "attention_head_dim": 8},
    "sdxl": {
        "sample_size": 128,
        "block_out_channels": (320, 640, 1280),
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
        "transformer_layers_per_block": (1, 2, 10),
        "cross_attention_dim": 2048,
        "attention_head_dim": (5, 10, 20),
        "use_linear_projection": True,
        "addition_embed_type": "text_time",
        "addition_time_embed_dim": 256,
        "projection_class_embeddings_input_dim": 2816,
    },
}
"""The published configurations of SD 1.5 and SDXL base, and a small one in SD 1.5's layout.

The small one is "tiny". `attention_head_dim` is diffusers' name for the number of heads.
"""


def build_unet(model: str, seed: int = 0, checkpoint: Path | None = None) -> nn.Module:
    """Return a `UNet2DConditionModel` in float32 on the CPU, for inference only.

    `model` is a name in `CONFIGS`; `checkpoint` is a single-file checkpoint of that architecture;
    without one, the weights are random (`randomize_`). Raises ValueError for an unknown model or a
    missing checkpoint.
    """
    if model not in CONFIGS:
        raise ValueError(f"unknown model {model!r}; known are {', '.join(CONFIGS)}")
    if checkpoint is not None and not checkpoint.is_file():
        raise ValueError(
            f"there is no checkpoint {checkpoint}; give the path of a .safetensors file"
        )
    unet = _random(model, seed) if checkpoint is None else _of_checkpoint(model, checkpoint)
    return unet.eval().requires_grad_(False)


def randomize_(unet: nn.Module) -> None:
    """Scale PyTorch's default weights of every Linear and Conv2d by sqrt(3).

    Their variance becomes 1 / fan_in. The default is uniform with variance 1 / (3 fan_in), which
    shrinks the values in each layer: residual and attention branches add next to nothing, and the
    text hardly changes the output. With variance 1 / fan_in a layer preserves the size of its
    input, so every branch counts. No weight starts at zero, not even in conv_out.
    """
    for layer in unet.modules():
        weight = layer_weight(layer)
        if weight is not None:
            weight.data.mul_(math.sqrt(3))


def _random(model: str, seed: int) -> Any:
    from diffusers import UNet2DConditionModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        unet: Any = UNet2DConditionModel(**CONFIGS[model])
    randomize_(unet)
    return unet


def _of_checkpoint(model: str, checkpoint: Path) -> Any:
    """Load a checkpoint with our configuration; without one, diffusers asks its hub for it."""
    from diffusers import UNet2DConditionModel

    with tempfile.TemporaryDirectory() as folder:
        config = {"_class_name": "UNet2DConditionModel", **CONFIGS[model]}
        (Path(folder) / "config.json").write_text(json.dumps(config), "utf-8")
        return UNet2DConditionModel.from_single_file(
            str(checkpoint), config=folder, torch_dtype=torch.float32
        )
