"""A small UNet as a diffusers model, which ComfyUI takes for SD 1.5.

Also its parameters' names in a checkpoint. It has two levels: only residual blocks at the latents'
full size, attention at half size. One level with attention at full size would have fewer weights
but need twice the work.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

_BLOCKS = {
    "conv_in": "input_blocks.0.0",
    "time_embedding.linear_1": "time_embed.0",
    "time_embedding.linear_2": "time_embed.2",
    "down_blocks.0.resnets.0": "input_blocks.1.0",
    "down_blocks.0.downsamplers.0.conv": "input_blocks.2.0.op",
    "down_blocks.1.resnets.0": "input_blocks.3.0",
    "down_blocks.1.attentions.0": "input_blocks.3.1",
    "mid_block.resnets.0": "middle_block.0",
    "mid_block.attentions.0": "middle_block.1",
    "mid_block.resnets.1": "middle_block.2",
    "up_blocks.0.resnets.0": "output_blocks.0.0",
    "up_blocks.0.attentions.0": "output_blocks.0.1",
    "up_blocks.0.resnets.1": "output_blocks.1.0",
    "up_blocks.0.attentions.1": "output_blocks.1.1",
    "up_blocks.0.upsamplers.0.conv": "output_blocks.1.2.conv",
    "up_blocks.1.resnets.0": "output_blocks.2.0",
    "up_blocks.1.resnets.1": "output_blocks.3.0",
    "conv_norm_out": "out.0",
    "conv_out": "out.2",
}
_RESIDUAL = {
    "norm1": "in_layers.0",
    "conv1": "in_layers.2",
    "time_emb_proj": "emb_layers.1",
    "norm2": "out_layers.0",
    "conv2": "out_layers.3",
    "conv_shortcut": "skip_connection",
}


def unet() -> nn.Module:
    """Return a UNet2DConditionModel with 320 channels and 36 M parameters.

    It has two levels of one residual block each. Every branch's last layer starts at zero.
    """
    from diffusers import UNet2DConditionModel

    settings = {
        "sample_size": 16,
        "block_out_channels": (320, 320),
        "layers_per_block": 1,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
        "cross_attention_dim": 768,
        "attention_head_dim": 8,  # diffusers' name for the number of heads
    }
    model = cast(nn.Module, UNet2DConditionModel(**settings))
    for name, layer in model.named_modules():
        if name.endswith((".conv2", ".proj_out", "conv_out")) and isinstance(layer, nn.Conv2d):
            for parameter in layer.parameters():
                nn.init.zeros_(parameter)
    return model


def channels_last(module: nn.Module) -> nn.Module:
    """Return the same module with kernels in the memory format that is fastest on the CPU."""
    return module.to(memory_format=torch.channels_last)  # type: ignore[call-overload, no-any-return]


def checkpoint_name(name: str) -> str:
    """Return a parameter's name in the LDM layout, from its name in the diffusers model."""
    block = max((old for old in _BLOCKS if name.startswith(old + ".")), key=len)
    rest = name.removeprefix(block + ".")
    part, dot, kind = rest.partition(".")
    if ".resnets." in block:
        part = _RESIDUAL[part]
    return f"{_BLOCKS[block]}.{part}{dot}{kind}"


def in_checkpoint_layout(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the same tensors under their names in the LDM layout."""
    return {checkpoint_name(name): value for name, value in state.items()}


def from_checkpoint_layout(unet: nn.Module, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the state of `unet`, the diffusers model, from a checkpoint's tensors."""
    return {name: state[checkpoint_name(name)] for name in unet.state_dict()}
