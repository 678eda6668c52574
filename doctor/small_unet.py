"""A small UNet with random weights that ComfyUI loads as SD 1.5, LoRAs for it, and its output in
float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import comfy.lora
import comfy.ops
import comfy.sd
import torch
from comfy.ldm.modules.attention import attention_pytorch
from comfy.ldm.modules.diffusionmodules.openaimodel import UNetModel
from torch import Tensor

RANK = 4
_GAIN, _LORA_GAIN = 0.7, 1.5
_TEXT = 768
_LORA_ON = (
    ".attn1.to_q.",
    ".attn2.to_k.",
    ".attn2.to_out.0.",
    ".ff.net.2.",
    ".proj_in.",
    ".in_layers.2.",
)

State = Mapping[str, Tensor]
Loras = Sequence[tuple[State, float]]
"""LoRAs with kohya's key names, and their strengths."""


class _Plain(comfy.ops.disable_weight_init):
    """Layers of torch, which have their weights at once."""

    Linear = torch.nn.Linear  # type: ignore[assignment]
    Conv2d = torch.nn.Conv2d  # type: ignore[assignment]


def unet_config(levels: tuple[int, ...]) -> dict[str, Any]:
    """SD 1.5's configuration with the channel multipliers `levels`.

    Each level has one residual block with a transformer.
    """
    return {
        "image_size": 32,
        "in_channels": 4,
        "out_channels": 4,
        "model_channels": 320,
        "num_heads": 8,
        "use_spatial_transformer": True,
        "use_linear_in_transformer": False,
        "context_dim": _TEXT,
        "channel_mult": levels,
        "num_res_blocks": [1] * len(levels),
        "transformer_depth": [1] * len(levels),
        "transformer_depth_output": [1] * (2 * len(levels)),
        "transformer_depth_middle": 1,
        "use_temporal_attention": False,
    }


def empty_unet(
    levels: tuple[int, ...], device: torch.device | str, dtype: torch.dtype
) -> torch.nn.Module:
    """A UNet of the host's class with plain layers whose weights are not initialised."""
    return UNetModel(**unet_config(levels), dtype=dtype, device=device, operations=_Plain)


def random_state(levels: tuple[int, ...], dtype: torch.dtype) -> dict[str, Tensor]:
    """Random weights on the CPU, scaled so that signals keep their magnitude."""
    generator = torch.Generator().manual_seed(0)
    state = {}
    for name, weight in empty_unet(levels, "meta", dtype).state_dict().items():
        if weight.ndim > 1:
            made = torch.randn(weight.shape, generator=generator) * (
                _GAIN / weight[0].numel() ** 0.5
            )
        else:
            made = torch.full(weight.shape, 0.0 if name.endswith("bias") else 1.0)
        state[name] = made.to(dtype)
    return state


def load(state: State, device: torch.device) -> Any:
    """Load the MODEL of `state` with the host's own loader, which may use dynamic VRAM."""
    model = comfy.sd.load_diffusion_model_state_dict(
        dict(state), model_options={"load_device": device}
    )
    if model is None:
        raise RuntimeError("ComfyUI did not recognise the UNet")
    return model


def random_lora(state: State, seed: int) -> dict[str, Tensor]:
    """A LoRA for some layers of each kind, with kohya's key names."""
    generator = torch.Generator().manual_seed(seed)
    lora: dict[str, Tensor] = {}
    for name in lora_layers(state):
        outputs, inputs, *kernel = state[name].shape
        key = "lora_unet_" + name.removesuffix(".weight").replace(".", "_")
        down = torch.randn(RANK, inputs, *kernel, generator=generator)
        up = torch.randn(outputs, RANK, *[1] * len(kernel), generator=generator)
        lora[f"{key}.lora_down.weight"] = down / down[0].numel() ** 0.5
        lora[f"{key}.lora_up.weight"] = up * _LORA_GAIN / RANK**0.5
        lora[f"{key}.alpha"] = torch.tensor(float(RANK))
    return lora


def lora_layers(state: State) -> list[str]:
    """Names of the weights that the LoRAs change."""
    return [
        name
        for name in state
        if name.endswith(".weight") and any(part in name for part in _LORA_ON)
    ]


def merged(state: State, loras: Loras) -> dict[str, Tensor]:
    """`state` in float64 with the LoRAs added at their strengths."""
    made = {name: weight.double() for name, weight in state.items()}
    for lora, strength in loras:
        for name in lora_layers(state):
            key = "lora_unet_" + name.removesuffix(".weight").replace(".", "_")
            up, down = (
                lora[f"{key}.lora_{part}.weight"].double().flatten(1) for part in ("up", "down")
            )
            made[name] = made[name] + strength * (up @ down).view_as(made[name])
    return made


def in_float64(
    levels: tuple[int, ...], state: State, given: dict[str, Tensor], device: torch.device
) -> Tensor:
    """The UNet's output in float64 for the inputs `given`: x, timesteps and context."""
    place = device if device.type == "cuda" else torch.device("cpu")
    unet = empty_unet(levels, place, torch.float64)
    unet.load_state_dict({name: weight.double() for name, weight in state.items()})
    with torch.inference_mode():
        parts = {name: part.to(place, torch.float64) for name, part in given.items()}
        options = {"optimized_attention_override": _plain_attention}
        return unet(
            parts["x"], parts["timesteps"], context=parts["context"], transformer_options=options
        ).cpu()


def _plain_attention(function: Any, *args: Any, **kwargs: Any) -> Tensor:
    """PyTorch's attention, because the host's choice may not support float64."""
    return attention_pytorch(*args, **kwargs)
