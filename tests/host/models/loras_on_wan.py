"""A LoRA on a tiny Wan, as Check-in applies it to what is connected."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import comfy.sd
import torch
from comfy.model_patcher import ModelPatcher
from safetensors.torch import save_file

from personalq.checkin import Card, Repository
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.nodes.host.models.connected import Connected, apply, connected_model
from personalq.tests.host.sampling import relative_error
from personalq.tests.host.taq.transformers import lora_of, prompt, sample, state_of

MODEL = "wan21-t2v"
PROMPTS = tuple(prompt(MODEL, seed) for seed in (1, 2))
EMPTY = Repository([Card("a", kind="lora", base_model="wan")], embedder=None)


class Errors(NamedTuple):
    """Relative errors of what is sampled."""

    of_weights: float
    """Of the model alone, beside the same in full precision."""
    of_lora: float
    """Of the model with the LoRA, beside the same in full precision."""
    effect: float
    """Of the model alone, beside itself with the LoRA."""


def with_lora(model: ModelPatcher, folder: Path) -> ModelPatcher:
    """The connected model with the chosen LoRA, all of whose layers fit."""
    path = folder / "lora.safetensors"
    save_file(lora_of(MODEL, "kohya, musubi"), path)
    about = connected_model(model, EMPTY)
    assert about == ConnectedModel(about.card, "wan")
    chosen = Card("lora", str(path), "lora", base_model="wan")
    made, notices = apply(Connected(model, None, None), about, [chosen])
    assert not notices
    return made.model


def errors(model: ModelPatcher, folder: Path) -> Errors:
    """Of `model`, beside the weights that it was made from."""
    full = comfy.sd.load_diffusion_model_state_dict(state_of(MODEL), {"dtype": torch.float32})
    plain, added = (sample(one, MODEL, *PROMPTS) for one in (model, with_lora(model, folder)))
    exact, expected = (sample(one, MODEL, *PROMPTS) for one in (full, with_lora(full, folder)))
    return Errors(
        relative_error(plain, exact), relative_error(added, expected), relative_error(plain, added)
    )
