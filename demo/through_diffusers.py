"""Draw a decision's picture without ComfyUI.

The chosen file is loaded in diffusers and quantized by the same TAQ.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from ..checkin import Card
from ..taq_kernels import PRESETS, Report, quantize_
from ..taq_kernels.attention.diffusers_processor import store_text_
from .catalogue import BASE_PATH, GUIDANCE
from .token_marks import row_marks
from .world.autoencoder import Autoencoder
from .world.low_rank_difference import DOWN, UP, add_
from .world.sample import Pipeline
from .world.text_encoder import plain_encoder
from .world.tokenizer import TOKENS, tokenizer
from .world.unet import checkpoint_name, from_checkpoint_layout, unet

_UNET, _VAE, _CLIP = "model.diffusion_model.", "first_stage_model.", "cond_stage_model.transformer."
STEPS = 20


def load(demo: Path, card: Card) -> Pipeline:
    """Load the model of a card: a checkpoint, or the base with a LoRA added.

    `demo` is the folder of the demo repository. Raises ValueError where the card names no file.
    """
    from safetensors.torch import load_file

    if card.path is None:
        raise ValueError(f"the card {card.id} names no file; open the repository from its folders")
    own = load_file(card.path)
    tensors = load_file(demo / BASE_PATH) if card.kind == "lora" else own
    pipeline = _pipeline({name: value.float() for name, value in tensors.items()})
    if card.kind == "lora":
        _add_lora_(pipeline.unet, own)
    return pipeline


@torch.no_grad()
def draw(
    pipeline: Pipeline,
    prompt: str,
    seed: int,
    preset: str = "W8A8",
    steps: int = STEPS,
    trigger: str = "",
) -> tuple[Tensor, Report]:
    """Quantize the UNet in place; return a picture [3, 128, 128] in 0 to 1, and the report.

    The tokens of `trigger` stay in full precision.
    """
    report = quantize_(pipeline.unet, preset)
    marks = row_marks(pipeline.tokenizer, [prompt, ""], trigger, TOKENS)
    store_text_(pipeline.unet, PRESETS[preset].attention, marks)
    return pipeline.draw([prompt], seed, steps, GUIDANCE)[0], report


def save(picture: Tensor, path: Path) -> None:
    """Write a picture [3, H, W] in 0 to 1 as PNG; makes the folder."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray((picture.permute(1, 2, 0) * 255).round().byte().numpy()).save(path)


def _pipeline(tensors: dict[str, Tensor]) -> Pipeline:
    def part(prefix: str) -> dict[str, Tensor]:
        return {
            name.removeprefix(prefix): value
            for name, value in tensors.items()
            if name.startswith(prefix)
        }

    whole, autoencoder, encoder = unet(), Autoencoder(), plain_encoder()
    whole.load_state_dict(from_checkpoint_layout(whole, part(_UNET)))
    autoencoder.load_state_dict(
        {n: v for n, v in part(_VAE).items() if n not in ("vae_scale", "vae_shift")}
    )
    text = part(_CLIP)
    encoder.load_state_dict({name: text[_published(name)] for name in encoder.state_dict()})
    for module in (whole, autoencoder, encoder):
        module.requires_grad_(False).eval()
    return Pipeline(tokenizer(), encoder, whole, autoencoder)


def _published(name: str) -> str:
    """Add the "text_model." of CLIP's names, which some releases of transformers leave out."""
    return "text_model." + name.removeprefix("text_model.")


def _add_lora_(unet: nn.Module, lora: dict[str, Tensor]) -> None:
    """Add a LoRA to the weights it belongs to.

    The LoRA has kohya's key names, and its alpha is its rank.
    """
    factors: dict[str, Tensor] = {}
    for name in unet.state_dict():
        key = "lora_unet_" + checkpoint_name(name).removesuffix(".weight").replace(".", "_")
        if f"{key}.lora_down.weight" in lora:
            factors[name + DOWN], factors[name + UP] = (
                lora[f"{key}.lora_{part}.weight"].float().flatten(1) for part in ("down", "up")
            )
    add_(unet, factors)
