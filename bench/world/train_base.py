"""Train UNet and text encoder together on latents of rendered pictures; a stopped run resumes.

usage: python -m personalq.bench.world.train_base RUN_FOLDER [--cycles N] [--coarse-cycles N]
           [--short-cycles N] [--bfloat16]

A cycle encodes 32 captions once and uses them in several UNet steps. The gradients of the encoded
text are summed and propagated through the text encoder at the end of the cycle. So the encoder,
which costs as much per caption as the UNet per picture, runs once for many pictures. The first
cycles train on latents averaged to half the side: four times as many pictures in the same time,
enough to learn the words. All captions are short, and the encoder is causal: the first cycles leave
out most of the padding, which changes no other token.

--bfloat16 multiplies in bfloat16 (weights and sums stay float32); the CPU needs avx512_bf16. On a
virtual machine that reports AMX but does not allow it, set ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ...demo.world.autoencoder import Autoencoder
from ...demo.world.caption import caption, loose_caption
from ...demo.world.noise import add_noise, noise_loss, spread_steps
from ...demo.world.scene import Scene
from ...demo.world.text_encoder import difference, load_difference_, text_encoder
from ...demo.world.tokenizer import tokenizer, tokens
from ...demo.world.unet import channels_last, unet
from .ema import EMA
from .latents import LatentStore
from .resume import Timer, load_state, save_state, trained_state, write_pid

CAPTIONS, CAPTION_DROPOUT, LOOSE = 32, 0.1, 0.35
SHORT = 24
"""Text tokens in the first cycles; the longest caption has 22."""
_UNET_RATE, _TEXT_RATE, _WARM_UP = 4e-4, 3e-4, 10
_NEW_PER_CYCLE, _ENOUGH = 24, 40_000
_SAVE_EVERY = 240.0
_COARSE_GAIN = 1.4
"""Averaged latents have a smaller standard deviation; this factor restores about 1."""


@dataclass(frozen=True)
class Phase:
    """How a cycle is divided into UNet steps."""

    steps: int
    batch: int
    coarse: bool


COARSE, FINE = Phase(steps=8, batch=32, coarse=True), Phase(steps=16, batch=16, coarse=False)


class BaseModel:
    """UNet and text encoder with their optimizers, EMAs and training progress."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.unet, self.encoder = channels_last(unet()), text_encoder()
        self.cycle = self.steps = 0
        unet_parameters, text_parameters = (
            dict(self.unet.named_parameters()),
            difference(self.encoder),
        )
        self._trained = {"unet": unet_parameters, "text": text_parameters}
        self.unet_optimizer = torch.optim.AdamW(
            unet_parameters.values(), lr=_UNET_RATE, weight_decay=0.01, fused=True
        )
        self.text_optimizer = torch.optim.AdamW(
            text_parameters.values(), lr=_TEXT_RATE, weight_decay=0.0, fused=True
        )
        self.unet_ema, self.text_ema = (
            EMA(unet_parameters, 0.999),
            EMA(text_parameters, 0.99),
        )

    def start_text(self, text: dict[str, Tensor]) -> None:
        """Start from the text encoder that `train_text` trained."""
        load_difference_(self.encoder, text)
        self.text_ema.load(text)

    def state(self) -> dict[str, Any]:
        """Return all that is needed to resume a run."""
        return {
            "cycle": self.cycle,
            "steps": self.steps,
            "unet": {name: value.detach() for name, value in self._trained["unet"].items()},
            "text": {name: value.detach() for name, value in self._trained["text"].items()},
            "unet_average": self.unet_ema.values,
            "text_average": self.text_ema.values,
            "unet_optimizer": self.unet_optimizer.state_dict(),
            "text_optimizer": self.text_optimizer.state_dict(),
        }

    @torch.no_grad()
    def load(self, state: dict[str, Any]) -> None:
        """Resume from a result of `state`."""
        for part, parameters in self._trained.items():
            for name, value in state[part].items():
                parameters[name].copy_(value)
        self.unet_ema.load(state["unet_average"])
        self.text_ema.load(state["text_average"])
        self.unet_optimizer.load_state_dict(state["unet_optimizer"])
        self.text_optimizer.load_state_dict(state["text_optimizer"])
        self.cycle, self.steps = state["cycle"], state["steps"]


def train(
    folder: Path, cycles: int, coarse_cycles: int, short_cycles: int, bfloat16: bool = False
) -> None:
    """Train up to cycle `cycles`; the learning rate falls to a tenth over the last fifth."""
    write_pid(folder / "base.pid")
    torch.set_num_threads(2)
    model, words = BaseModel(), tokenizer()
    if state := load_state(folder / "base.pt"):
        model.load(state)
    elif text := load_state(folder / "text.pt"):
        model.start_text(text["text"])
    store = LatentStore(folder / "latents", trained_autoencoder(folder))
    torch.manual_seed(model.cycle)
    rng = np.random.default_rng([7, model.cycle])
    save_timer = Timer(_SAVE_EVERY)
    while model.cycle < cycles:
        begun = time.monotonic()
        if len(store.scenes) < _ENOUGH:
            store.grow(_NEW_PER_CYCLE if store.scenes else 16 * _NEW_PER_CYCLE)
        grown = time.monotonic()
        _set_rates(model, cycles)
        phase = COARSE if model.cycle < coarse_cycles else FINE
        chosen = rng.integers(len(store.scenes), size=CAPTIONS)
        captions = [_wording(rng)(store.scenes[i], rng) for i in chosen]
        rows = tokens(words, [*captions, ""])[:, : SHORT if model.cycle < short_cycles else None]
        latents = store.latents[torch.from_numpy(chosen)].float()
        # No cache: it would reuse the first step's weights in the whole cycle.
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16, cache_enabled=False):
            loss = _cycle(model, phase, latents, rows)
        print(
            f"cycle {model.cycle} step {model.steps} loss "
            f"{loss:.4f} {'coarse' if phase.coarse else 'fine'} render {grown - begun:.1f} s, "
            f"train {time.monotonic() - grown:.1f} s",
            flush=True,
        )
        if save_timer.due() or model.cycle == cycles:
            save_state(folder / "base.pt", model.state())


def trained_autoencoder(folder: Path) -> Autoencoder:
    """Return the frozen autoencoder of a run.

    Raises FileNotFoundError where none has been trained.
    """
    autoencoder = Autoencoder()
    autoencoder.load_state_dict(trained_state(folder, "autoencoder")["model"])
    autoencoder.skip_costly_blocks(encoder=True, decoder=False)
    return autoencoder.requires_grad_(False).eval()


def _cycle(model: BaseModel, phase: Phase, latents: Tensor, words: Tensor) -> float:
    """Train on `latents` [CAPTIONS, 4, 16, 16] and their captions' tokens [CAPTIONS + 1, T].

    The last caption is empty.
    """
    encoded = model.encoder(words).last_hidden_state.float()
    text = encoded.detach().requires_grad_()
    if phase.coarse:
        latents = F.avg_pool2d(latents, 2) * _COARSE_GAIN
    total = 0.0
    for batch in _batches(phase):
        caption_of = torch.where(torch.rand(phase.batch) < CAPTION_DROPOUT, len(words) - 1, batch)
        steps, noise = spread_steps(phase.batch), torch.randn(phase.batch, *latents.shape[1:])
        predicted = model.unet(
            add_noise(latents[batch], noise, steps), steps, text[caption_of]
        ).sample.float()
        loss = noise_loss(predicted, noise, steps)
        model.unet_optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.unet.parameters(), 1.0)
        model.unet_optimizer.step()
        model.steps += 1
        model.unet_ema.update(model.steps)
        total += loss.item()
    model.text_optimizer.zero_grad()
    encoded.backward(text.grad)
    torch.nn.utils.clip_grad_norm_(difference(model.encoder).values(), 1.0)
    model.text_optimizer.step()
    model.cycle += 1
    model.text_ema.update(model.cycle)
    return total / phase.steps


def _wording(rng: np.random.Generator) -> Callable[[Scene, np.random.Generator], str]:
    return loose_caption if rng.random() < LOOSE else caption


def _batches(phase: Phase) -> Iterator[Tensor]:
    """Return indices of captions, each equally often in the cycle."""
    order = torch.cat(
        [torch.randperm(CAPTIONS) for _ in range(phase.steps * phase.batch // CAPTIONS)]
    )
    return iter(order.split(phase.batch))


def _set_rates(model: BaseModel, cycles: int) -> None:
    end = min(1.0, 5 * (1 - model.cycle / cycles))
    share = min(1.0, (model.cycle + 1) / _WARM_UP) * (0.1 + 0.9 * end)
    for optimizer, rate in ((model.unet_optimizer, _UNET_RATE), (model.text_optimizer, _TEXT_RATE)):
        for group in optimizer.param_groups:
            group["lr"] = rate * share


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cycles", type=int, default=220)
    parser.add_argument("--coarse-cycles", type=int, default=80)
    parser.add_argument("--short-cycles", type=int, default=190)
    parser.add_argument("--bfloat16", action="store_true")
    arguments = parser.parse_args()
    train(
        arguments.folder,
        arguments.cycles,
        arguments.coarse_cycles,
        arguments.short_cycles,
        arguments.bfloat16,
    )
