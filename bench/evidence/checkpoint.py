"""Use a single-file SD 1.5, SDXL or SDXL-Turbo checkpoint for the tables, without a hub."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from ...demo.token_marks import row_marks
from ...demo.world.tokenizer import tokenizer, tokens
from ..taq.unets import CONFIGS
from .subject import Encoded, Subject
from .text_encoders import CLIP_G, CLIP_L, clip_g, clip_l

_VAE = {
    "block_out_channels": [128, 256, 512, 512],
    "layers_per_block": 2,
    "latent_channels": 4,
    "down_block_types": ["DownEncoderBlock2D"] * 4,
    "up_block_types": ["UpDecoderBlock2D"] * 4,
}
TURBO_STEPS = 4
_SDXL_MARK = "conditioner.embedders.1.model.ln_final.weight"
_SD15_MARK = "cond_stage_model.transformer.text_model.final_layer_norm.weight"


@dataclass(frozen=True)
class Architecture:
    """Local configurations of a checkpoint's parts."""

    unet: Mapping[str, Any]
    vae: Mapping[str, Any]
    texts: tuple[Mapping[str, Any], ...]
    """Configuration of CLIP-L, and for SDXL also of CLIP-G."""
    side: int
    """Side of a picture, in pixels."""
    pixels_per_latent: int = 8


ARCHITECTURES = {
    "sd15": Architecture(CONFIGS["sd15"], _VAE | {"scaling_factor": 0.18215}, (CLIP_L,), 512),
    "sdxl": Architecture(
        CONFIGS["sdxl"], _VAE | {"scaling_factor": 0.13025}, (CLIP_L, CLIP_G), 1024
    ),
}


@dataclass(frozen=True)
class Loading:
    """How a checkpoint is used."""

    trigger: str
    noun: str
    turbo: bool = False
    """Whether it is an SDXL-Turbo checkpoint: 4 steps at 512 px without guidance."""
    steps: int = 25
    side: int | None = None
    """Side in pixels; None = the architecture's own."""
    architecture: Architecture | None = field(default=None, repr=False)
    """None = detected from the names in the file."""


def load(file: Path, loading: Loading) -> Subject:
    """Load the checkpoint in float32, on CUDA where there is one.

    Raises ValueError for a missing file, and for one that is neither SD 1.5 nor SDXL by the names
    of its weights.
    """
    if not file.is_file():
        raise ValueError(f"there is no checkpoint {file}; give the path of a .safetensors file")
    state = load_file(str(file))
    architecture = loading.architecture or ARCHITECTURES[_kind(state, file)]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    vae: Any = _part("AutoencoderKL", state, architecture.vae).to(device)
    side = (
        loading.side or (512 if loading.turbo else architecture.side)
    ) // architecture.pixels_per_latent
    encoders = _encoders(state, architecture, loading, device)

    @torch.no_grad()
    def decode(latents: Tensor) -> Tensor:
        return (
            torch.cat([vae.decode(one[None] / vae.config.scaling_factor).sample for one in latents])
            / 2
            + 0.5
        )

    return Subject(
        name=file.stem,
        trigger=loading.trigger,
        noun=loading.noun,
        unet=_part("UNet2DConditionModel", state, architecture.unet).to(device),
        encode=encoders,
        decode=decode,
        latent=(4, side, side),
        steps=TURBO_STEPS if loading.turbo else loading.steps,
        guidance=1.0 if loading.turbo else 7.5,
        batch=4 if device.type == "cuda" else 1,
    )


def _kind(state: Mapping[str, Tensor], file: Path) -> str:
    for mark, kind in ((_SDXL_MARK, "sdxl"), (_SD15_MARK, "sd15")):
        if mark in state:
            return kind
    raise ValueError(
        f"{file.name} is no whole SD1.5 or SDXL checkpoint: it has no text encoder under the names "
        "those have"
    )


def _part(kind: str, state: Mapping[str, Tensor], config: Mapping[str, Any]) -> nn.Module:
    """Load a part of the file as a model of diffusers.

    A folder with the configuration prevents diffusers from asking its hub.
    """
    import diffusers

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(
            json.dumps({"_class_name": kind, **config}), "utf-8"
        )
        model: nn.Module = getattr(diffusers, kind).from_single_file(
            dict(state), config=folder, torch_dtype=torch.float32
        )
    return model.eval().requires_grad_(False)


def _encoders(
    state: Mapping[str, Tensor], architecture: Architecture, loading: Loading, device: torch.device
) -> Any:
    """Return the function `Subject.encode`."""
    words = tokenizer()
    if len(architecture.texts) == 1:
        text: Any = clip_l(state, "cond_stage_model.transformer.", architecture.texts[0]).to(device)
        big: Any = None
    else:
        text = clip_l(state, "conditioner.embedders.0.transformer.", architecture.texts[0]).to(
            device
        )
        big = clip_g(state, "conditioner.embedders.1.model.", architecture.texts[1]).to(device)
    side = loading.side or (512 if loading.turbo else architecture.side)

    @torch.no_grad()
    def encode(prompts: Sequence[str]) -> Encoded:
        numbers = tokens(words, list(prompts)).to(device)
        marks = row_marks(words, prompts, loading.trigger).to(device)
        if big is None:
            return Encoded(text(numbers).last_hidden_state, marks)
        small = text(numbers, output_hidden_states=True).hidden_states[-2]
        # CLIP-G pads with token 0. Text comes from the last but one layer of both encoders, the
        # pooled embedding is CLIP-G's projected one.
        answer = big(_zero_padded(numbers, words.eos_token_id), output_hidden_states=True)
        sizes = torch.tensor([[side, side, 0, 0, side, side]], device=device).expand(
            len(prompts), -1
        )
        rows = torch.cat([small, answer.hidden_states[-2]], dim=-1)
        return Encoded(rows, marks, {"text_embeds": answer.text_embeds, "time_ids": sizes})

    return encode


def _zero_padded(numbers: Tensor, end: int) -> Tensor:
    """Return the token numbers with 0 after the first end token of each prompt."""
    after = (numbers == end).cumsum(1).cumsum(1) > 1
    return numbers.masked_fill(after, 0)
