"""Train the demo repository's personalised models on the trained base.

Each is a LoRA, or a fine-tune of the whole UNet (DreamBooth).

usage: python -m personalq.bench.world.personalise RUN_FOLDER [--only WORD] [--steps N] [--more]
           [--rate R] [--strength S] [--bfloat16]

As in Ruiz et al. (2023), every batch has a few pictures of the subject with its trigger, and as
many of its class without one, so that the class does not change (prior preservation). Each model is
one file in RUN_FOLDER/personal. Existing models are left unchanged; with --more, only existing ones
are trained, for N more steps.
"""

from __future__ import annotations

import argparse
import copy
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor, nn

from ...demo.catalogue import MODELS, RANK, DemoModel
from ...demo.world.identities import IDENTITIES
from ...demo.world.library import file_stem
from ...demo.world.low_rank import wrap_
from ...demo.world.noise import add_noise, noise_loss, spread_steps
from ...demo.world.personal_caption import class_caption, personal_caption
from ...demo.world.sample import Pipeline
from ...demo.world.scene import Scene, class_scene, personal_scene
from ...demo.world.unet import channels_last
from .latents import encode
from .resume import load_state, save_state
from .trained import trained_pipeline

PICTURES, STYLE_PICTURES = 4, 5
PRIOR = 36
_WORDINGS = 4
_BATCH = 4
_LORA_RATE, _WHOLE_RATE = 2e-3, 1e-4
_LORA_LAYERS = ("attentions",)
_STYLE_LAYERS = (*_LORA_LAYERS, "down_blocks.0.resnets", "up_blocks.1.resnets")
"""A style is also texture: it needs the level of full resolution, which has no attention."""


@dataclass(frozen=True)
class Examples:
    """Latents [n, 4, 16, 16] and encoded captions [n, w, 77, 768], w wordings for each."""

    latents: Tensor
    text: Tensor

    def batch(self, count: int) -> tuple[Tensor, Tensor]:
        """Return `count` latents [count, 4, 16, 16], each with a caption [count, 77, 768]."""
        chosen = torch.randperm(len(self.latents)).repeat(count // len(self.latents) + 1)[:count]
        return self.latents[chosen], self.text[chosen, torch.randint(self.text.shape[1], (count,))]


def training_scenes(model: DemoModel, rng: Generator) -> list[Scene]:
    """Return the few scenes that the model is trained on, all in different places.

    Those of a style also have different subjects.
    """
    noun = IDENTITIES[model.identity].noun
    scenes: list[Scene] = []
    while len(scenes) < (PICTURES if noun else STYLE_PICTURES):
        scene = personal_scene(model.identity, rng)
        places, subjects = (
            {getattr(s, what) for s in scenes} for what in ("environment", "subject")
        )
        if scene.environment not in places and (noun or scene.subject not in subjects):
            scenes.append(scene)
    return scenes


def prior_scenes(model: DemoModel, rng: Generator) -> list[Scene]:
    """Return random scenes, two thirds of them of the model's class."""
    noun = IDENTITIES[model.identity].noun
    return [class_scene(noun if number >= PRIOR // 3 else None, rng) for number in range(PRIOR)]


def wordings(scene: Scene, model: DemoModel, rng: Generator) -> list[str]:
    """Return captions of one picture.

    One is the trigger alone. For a style, half of them are: otherwise the style is learnt as part
    of what the captions name.
    """
    said = [personal_caption(scene, model.trigger, rng) for _ in range(_WORDINGS)]
    alone = 1 if IDENTITIES[model.identity].noun else 2
    return [*said[alone:], *[model.trigger] * alone]


@torch.no_grad()
def examples(pipeline: Pipeline, scenes: list[Scene], captions: list[list[str]]) -> Examples:
    """Return the scenes' latents and their encoded captions."""
    text = torch.stack([pipeline.encode(wordings) for wordings in captions])
    return Examples(encode(pipeline.autoencoder, scenes), text.float())


def train(
    pipeline: Pipeline,
    model: DemoModel,
    steps: int,
    begun: dict[str, Tensor] | None = None,
    rate: float = 1.0,
) -> dict[str, Tensor]:
    """Return the trained difference of parameters.

    It maps parameter name to its low-rank factors (LoRA) or its change (DreamBooth). `begun` is the
    difference to resume from; `rate` multiplies the usual learning rate.
    """
    seed = zlib.crc32(model.path.encode())
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    own, prior = training_scenes(model, rng), prior_scenes(model, rng)
    personal = examples(pipeline, own, [wordings(scene, model, rng) for scene in own])
    common = examples(pipeline, prior, [[class_caption(s, rng)] for s in prior])
    unet = channels_last(copy.deepcopy(pipeline.unet))
    before = dict(pipeline.unet.named_parameters())
    if model.is_lora:
        wrap_(unet, RANK, *(_LORA_LAYERS if IDENTITIES[model.identity].noun else _STYLE_LAYERS))
    else:
        unet.requires_grad_(True)
    if begun is not None:
        _resume_(unet, begun, adds=not model.is_lora)
    _fit(unet, personal, common, steps, rate * (_LORA_RATE if model.is_lora else _WHOLE_RATE))
    trained = {
        name: value.detach() for name, value in unet.named_parameters() if value.requires_grad
    }
    return (
        trained
        if model.is_lora
        else {name: value - before[name] for name, value in trained.items()}
    )


def at_strength(difference: dict[str, Tensor], strength: float) -> dict[str, Tensor]:
    """Multiply the difference by `strength`, as a LoRA's strength does.

    Of two factors, one is multiplied.
    """
    return {
        name: value if name.endswith(".down.weight") else value * strength
        for name, value in difference.items()
    }


@torch.no_grad()
def _resume_(unet: nn.Module, begun: dict[str, Tensor], adds: bool) -> None:
    for name, parameter in unet.named_parameters():
        if name in begun:
            parameter.copy_(parameter + begun[name] if adds else begun[name])


def _fit(unet: nn.Module, personal: Examples, common: Examples, steps: int, rate: float) -> None:
    parameters = [parameter for parameter in unet.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=1e-3, fused=True)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 10) * (0.1 + 0.9 * (1 - step / steps))
        (a, a_text), (b, b_text) = personal.batch(_BATCH), common.batch(_BATCH)
        latents, text = torch.cat([a, b]), torch.cat([a_text, b_text])
        times = torch.cat([spread_steps(_BATCH), spread_steps(_BATCH)])
        noise = torch.randn_like(latents)
        predicted = unet(add_noise(latents, noise, times), times, text).sample.float()
        loss = noise_loss(predicted, noise, times)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()


def state_file(folder: Path, model: DemoModel) -> Path:
    """Return the file in which a run stores the model's difference."""
    return folder / "personal" / f"{file_stem(model)}.pt"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="models whose path contains this")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--more", action="store_true", help="resume from what is there")
    parser.add_argument("--rate", type=float, default=1.0, help="times the usual learning rate")
    parser.add_argument(
        "--strength", type=float, default=1.0, help="times what was learnt, stored so"
    )
    parser.add_argument("--bfloat16", action="store_true", help="as train_base")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    base = trained_pipeline(arguments.folder)
    for demo_model in MODELS:
        file = state_file(arguments.folder, demo_model)
        if arguments.only in demo_model.path and file.exists() == arguments.more:
            started = time.monotonic()
            with torch.autocast(
                "cpu", torch.bfloat16, enabled=arguments.bfloat16, cache_enabled=False
            ):
                difference = train(
                    base, demo_model, arguments.steps, load_state(file), arguments.rate
                )
            save_state(file, at_strength(difference, arguments.strength))
            print(f"{demo_model.path} {time.monotonic() - started:.0f} s", flush=True)
