"""Tiny models of random weights in the layouts of Anima and Wan, by the host's own loader.

They have two heads and two blocks, and are wide enough for 4-bit weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import comfy.memory_management
import comfy.model_detection
import comfy.sample
import comfy.sd
import comfy.supported_models as supported
import pytest
import torch

from personalq.nodes.host.text import token_mask
from personalq.taq_kernels.attention.protected_tokens import TRIGGER
from personalq.tests.host.split_layouts import LAYOUTS

WIDTH, HEADS, BLOCKS = 256, 2, 2
STEPS = 2
_ANIMA = {"model_channels": WIDTH, "num_heads": HEADS, "num_blocks": BLOCKS}
_WAN = {"dim": WIDTH, "num_heads": HEADS, "ffn_dim": 512, "num_layers": BLOCKS}


@dataclass(frozen=True)
class Tiny:
    """A tiny model, by the layout of the real one."""

    layout: str
    small: dict
    latent: tuple[int, ...]
    """Channels, frames, height and width of its latent."""


TINY = {
    "anima": Tiny("anima", _ANIMA, (16, 1, 8, 8)),
    "wan21-t2v": Tiny("wan", _WAN, (16, 2, 8, 8)),
    "wan21-i2v": Tiny("wan", _WAN | {"model_type": "i2v", "in_dim": 36}, (16, 2, 8, 8)),
    "wan22-14b-i2v": Tiny("wan", _WAN | {"in_dim": 36}, (16, 2, 8, 8)),
    "wan22-5b": Tiny("wan22-5b", _WAN, (48, 2, 8, 8)),
}


def state_of(name: str) -> dict[str, torch.Tensor]:
    """The tensors of the tiny model."""
    layout, small = LAYOUTS[TINY[name].layout], TINY[name].small
    kind = "WAN21_I2V" if small.get("model_type") == "i2v" else layout.kind
    config = getattr(supported, kind)(layout.config | small)
    config.set_inference_dtype(torch.float32, None)
    with pytest.MonkeyPatch.context() as patch:  # under dynamic VRAM there are no shapes yet
        patch.setattr(comfy.memory_management, "aimdo_enabled", False)
        shapes = config.get_model({}, "", device="meta").diffusion_model.state_dict()
    generator = torch.Generator().manual_seed(0)
    made = {}
    for key, one in shapes.items():
        if one.ndim == 1 and key.endswith("weight"):
            made[key] = torch.ones(one.shape)
        else:
            spread = 0.5 if "modulation" in key and one.ndim == 3 else 1.0
            size = max(1, one[0].numel()) ** -0.5 if one.ndim > 1 else 0.1
            made[key] = torch.randn(one.shape, generator=generator) * size * spread
    return made


def load(name: str):
    """The MODEL as the host loads it."""
    with pytest.MonkeyPatch.context() as patch:
        detect = comfy.model_detection.detect_unet_config

        def narrow(*args, **options):
            found = detect(*args, **options)
            return found | {"num_heads": HEADS} if name == "anima" else found

        patch.setattr(comfy.model_detection, "detect_unet_config", narrow)
        made = comfy.sd.load_diffusion_model_state_dict(state_of(name), {"dtype": torch.float32})
    return made


def prompt(name: str, seed: int, words: int = 6, trigger: tuple[int, ...] = (2, 3)) -> list:
    """A CONDITIONING of `words` tokens and an end, with marks at `trigger`."""
    generator = torch.Generator().manual_seed(seed)
    if name == "anima":
        text = torch.randn(1, words + 3, 1024, generator=generator)
        ids = torch.randint(5, 30000, (words + 1,), generator=generator, dtype=torch.int)
        ids[-1] = 1
        options = {"t5xxl_ids": ids, "t5xxl_weights": torch.ones(words + 1)}
        marks = torch.zeros(words + 1)
    else:
        text, options = torch.zeros(1, 512, 4096), {}
        text[:, : words + 1] = torch.randn(1, words + 1, 4096, generator=generator)
        marks = torch.zeros(512)
    if name == "wan21-i2v":
        seen = torch.randn(1, 257, 1280, generator=generator)
        options["clip_vision_output"] = type("Seen", (), {"penultimate_hidden_states": seen})
    marks[list(trigger)] = TRIGGER
    return token_mask.attach([[text, options]], marks)


def sample(model, name: str, positive, negative, cfg: float = 4.0, steps: int = STEPS):
    """Latents after a few Euler steps from a fixed noise, as a node samples: in inference mode."""
    latent = torch.zeros(1, *TINY[name].latent)
    noise = torch.randn(latent.shape, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        return comfy.sample.sample(
            model, noise, steps, cfg, "euler", "simple", positive, negative, latent,
            seed=1, disable_pbar=True,
        ).clone()  # fmt: skip


def lora_of(name: str, trainer: str) -> dict[str, torch.Tensor]:
    """A LoRA of every Linear in the blocks, with the keys that a trainer writes."""
    generator = torch.Generator().manual_seed(3)
    made: dict[str, torch.Tensor] = {}
    for key, weight in state_of(name).items():
        layer = key.removesuffix(".weight")
        if weight.ndim != 2 or not key.endswith(".weight") or "blocks." not in layer:
            continue
        down = torch.randn(4, weight.shape[1], generator=generator) * weight.shape[1] ** -0.5
        up = torch.randn(weight.shape[0], 4, generator=generator) * 0.3
        if trainer in KOHYA:
            name_of = KOHYA[trainer] + layer.replace(".", "_")
            made |= {f"{name_of}.lora_down.weight": down, f"{name_of}.lora_up.weight": up}
            made[f"{name_of}.alpha"] = torch.tensor(2.0)
        else:
            name_of = f"diffusion_model.{layer}"
            made |= {f"{name_of}.lora_A.weight": down, f"{name_of}.lora_B.weight": up}
    return made


KOHYA = {"kohya, musubi": "lora_unet_", "Wan Fun": "lora_unet__"}
"""Trainer that writes underscores -> the prefix of its keys."""
