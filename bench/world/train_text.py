"""Train the text encoder so that every token from the end token on holds what the caption names.

usage: python -m personalq.bench.world.train_text RUN_FOLDER [--steps N] [--bfloat16]

Resumable. CLIP's encoder is trained on captions with their pictures before a diffusion model uses
it. This is a small version of that: linear heads on the embeddings of those tokens must name
subject, colour, place, style and accessory. The diffusion model then finds the meaning at known
tokens, and `train_base` trains both together.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor, nn
from torch.nn import functional as F

from ...demo.world.accessories import ACCESSORIES
from ...demo.world.caption import PLACE_WORDS, STYLE_ADJECTIVES, STYLE_WORDS, caption, loose_caption
from ...demo.world.scene import Scene
from ...demo.world.text_encoder import difference, load_difference_, text_encoder
from ...demo.world.tokenizer import END, tokenizer, tokens, vocabulary
from .classifier import LABELS, UNKNOWN
from .pictures import random_scenes
from .resume import Timer, load_state, save_state
from .train_base import LOOSE, SHORT

NAMED = {name: LABELS[name] for name in ("subject", "colour", "environment", "style")} | {
    "accessory": ("none", *ACCESSORIES)
}
_BATCH, _RATE, _WARM_UP = 48, 1e-3, 15


def named(scene: Scene, text: str) -> list[int]:
    """Return the class number of each of NAMED; UNKNOWN where the caption does not say it."""
    padded = f" {text} "
    said = {
        "subject": scene.subject,
        "colour": scene.colour if f" {scene.colour} " in padded else None,
        "environment": (
            scene.environment if any(w in text for w in PLACE_WORDS[scene.environment]) else None
        ),
        "style": scene.style if _says_style(scene.style, padded) else None,
        "accessory": scene.accessory or "none",
    }
    return [NAMED[name].index(value) if value else UNKNOWN for name, value in said.items()]


def _says_style(style: str, text: str) -> bool:
    return any(f" {words} " in text for words in (*STYLE_WORDS[style], *STYLE_ADJECTIVES[style]))


class Heads(nn.Module):
    """Token embeddings [..., 768] -> logits [..., n] for each of NAMED."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleDict(
            {name: nn.Linear(768, len(values)) for name, values in NAMED.items()}
        )

    def forward(self, rows: Tensor) -> list[Tensor]:
        """Return logits [..., n] for each of NAMED from token embeddings [..., 768]."""
        return [head(rows) for head in self.heads.values()]


def train(folder: Path, steps: int, bfloat16: bool) -> None:
    """Train up to step `steps`; the learning rate falls to a tenth."""
    torch.set_num_threads(2)
    torch.manual_seed(0)
    encoder, heads, words = text_encoder(), Heads(), tokenizer()
    low_rank = difference(encoder)
    parameters = [*low_rank.values(), *heads.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=_RATE, weight_decay=0.0, fused=True)
    step = 0
    if state := load_state(folder / "text.pt"):
        load_difference_(encoder, state["text"])
        heads.load_state_dict(state["heads"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    end = vocabulary()[END]
    rng, save_timer, begun = np.random.default_rng([8, step]), Timer(60), time.monotonic()
    while step < steps:
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / _WARM_UP) * (1 - 0.9 * step / steps)
        captions, wanted = _captions(rng)
        numbers = tokens(words, captions)[:, :SHORT]
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16, cache_enabled=False):
            rows = encoder(numbers).last_hidden_state
        loss, right = _loss(heads(rows.float()), numbers.eq(end), wanted)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step += 1
        if step % 10 == 0 or step == steps:
            print(
                f"step {step} loss {loss.item():.3f} right "
                f"{right:.3f} {time.monotonic() - begun:.0f} s",
                flush=True,
            )
        if save_timer.due() or step == steps:
            text = {name: value.detach() for name, value in low_rank.items()}
            saved = {
                "text": text,
                "heads": heads.state_dict(),
                "optimizer": optimizer.state_dict(),
                "step": step,
            }
            save_state(folder / "text.pt", saved)


def _captions(rng: Generator) -> tuple[list[str], Tensor]:
    """Return captions, and what they name [_BATCH, n]."""
    scenes = random_scenes(_BATCH, int(rng.integers(2**31)))
    captions = [
        (loose_caption if rng.random() < LOOSE else caption)(scene, rng) for scene in scenes
    ]
    return captions, torch.tensor(
        [named(scene, text) for scene, text in zip(scenes, captions, strict=True)]
    )


def _loss(logits: list[Tensor], ends: Tensor, wanted: Tensor) -> tuple[Tensor, float]:
    """Return the mean cross entropy from the end token on, and the share of right answers."""
    loss, right, said = torch.zeros(()), 0, 0
    for number, rows in enumerate(logits):
        target = wanted[:, number, None].expand(ends.shape)[ends]
        loss = loss + F.cross_entropy(rows[ends], target)
        known = target != UNKNOWN
        right += int((rows[ends].argmax(1) == target)[known].sum())
        said += int(known.sum())
    return loss, right / said


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--bfloat16", action="store_true", help="as train_base")
    arguments = parser.parse_args()
    train(arguments.folder, arguments.steps, arguments.bfloat16)
