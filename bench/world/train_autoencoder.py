"""Train the autoencoder on crops of rendered pictures; an interrupted run resumes.

usage: python -m personalq.bench.world.train_autoencoder RUN_FOLDER [--steps N] [--freeze-encoder]
[--bfloat16]

After latents have been made with it, the encoder must not change: --freeze-encoder then trains the
decoder alone. Before that, the costliest blocks of both are skipped; with --freeze-encoder, the
decoder's are trained too.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor

from ...demo.world.autoencoder import Autoencoder
from .pictures import random_pictures
from .resume import Timer, load_state, save_state, write_pid

PICTURES, HELD_OUT, HELD_OUT_SEED = 3000, 48, 9001
_BATCH, _CROP, _RATE, _NOISE = 8, 64, 6e-4, 0.05
_SAVE_EVERY = 180.0


def train(folder: Path, steps: int, freeze_encoder: bool = False, bfloat16: bool = False) -> None:
    """Train with a Charbonnier loss of colours and of their differences between neighbours.

    Training uses crops of 64 px. Noise on the latents makes the decoder robust; a penalty keeps
    each latent channel at mean 0 and standard deviation 1.
    """
    write_pid(folder / "autoencoder.pid")
    torch.set_num_threads(2)
    state_file = folder / "autoencoder.pt"
    train_set, held_out = (
        random_pictures(PICTURES, 1)[0],
        random_pictures(HELD_OUT, HELD_OUT_SEED)[0],
    )
    torch.manual_seed(0)
    model = Autoencoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE, betas=(0.9, 0.99), weight_decay=0.0)
    step = 0
    if state := load_state(state_file):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        freeze_encoder |= state.get("encoder_frozen", False)
    model.taesd_encoder.requires_grad_(not freeze_encoder)
    model.skip_costly_blocks(encoder=True, decoder=not freeze_encoder)
    rng = np.random.default_rng(step)
    save_timer, log_timer, started, begun_at = Timer(_SAVE_EVERY), Timer(30), time.monotonic(), step
    while step < steps:
        for group in optimizer.param_groups:
            group["lr"] = (
                _RATE
                * min(1, (step + 1) / 100)
                * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * step / steps)))
            )
        pictures = _crops(train_set, rng)
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16, cache_enabled=False):
            latents = model.encode(pictures).float()
            restored = model.decode(latents + _NOISE * torch.randn_like(latents)).float()
        loss = _difference(restored, pictures) + 0.02 * _off_unit(latents)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if log_timer.due():
            pace = (time.monotonic() - started) / (step - begun_at)
            print(
                f"step {step} loss {loss.item():.4f} std "
                f"{latents.std().item():.2f} {pace:.2f} s/step",
                flush=True,
            )
        if save_timer.due() or step == steps:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            save_state(state_file, state | {"encoder_frozen": freeze_encoder})
            print(f"step {step} held-out PSNR {psnr(model, held_out):.2f} dB", flush=True)


@torch.no_grad()
def psnr(model: Autoencoder, pictures: NDArray[np.uint8]) -> float:
    """Return the mean PSNR in dB of pictures that are encoded and decoded."""
    wanted = as_tensor(pictures)
    errors = [
        (model.decode(model.encode(part)).clamp(0, 1) - part).square().mean(dim=(1, 2, 3))
        for part in wanted.split(16)
    ]
    return float((-10 * torch.cat(errors).log10()).mean())


def as_tensor(pictures: NDArray[np.uint8]) -> Tensor:
    """Convert [n, H, W, 3] bytes to [n, 3, H, W] in 0 to 1."""
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255


def _crops(pictures: NDArray[np.uint8], rng: Generator) -> Tensor:
    side = pictures.shape[1]
    chosen = zip(
        rng.integers(len(pictures), size=_BATCH),
        rng.integers(side - _CROP + 1, size=(_BATCH, 2)),
        strict=True,
    )
    crops = [pictures[i, y : y + _CROP, x : x + _CROP] for i, (y, x) in chosen]
    return as_tensor(np.stack(crops))


def _difference(a: Tensor, b: Tensor) -> Tensor:
    error = a - b
    steps = (error.diff(dim=2), error.diff(dim=3))
    return sum((_charbonnier(part) for part in steps), _charbonnier(error))


def _charbonnier(error: Tensor) -> Tensor:
    return (error.square() + 1e-4).sqrt().mean()


def _off_unit(latents: Tensor) -> Tensor:
    mean, deviation = latents.mean(dim=(0, 2, 3)), latents.std(dim=(0, 2, 3))
    return (mean.square() + (deviation - 1).square()).mean()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--freeze-encoder", action="store_true")
    parser.add_argument("--bfloat16", action="store_true", help="as train_base")
    arguments = parser.parse_args()
    train(arguments.folder, arguments.steps, arguments.freeze_encoder, arguments.bfloat16)
