"""Train the classifier on renders, half of them through the autoencoder; a stopped run resumes.

usage: python -m personalq.bench.world.train_classifier RUN_FOLDER [--steps N]

Pictures through the autoencoder are what a perfect diffusion model would draw, so the classifier
is also evaluated on held-out ones of them.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ...demo.world.autoencoder import Autoencoder
from ...demo.world.identities import IDENTITIES
from ...demo.world.scene import Scene, personal_scene
from .classifier import UNKNOWN, Classifier, targets
from .pictures import pictures, random_scenes
from .resume import Timer, load_state, save_state, trained_state, write_pid
from .train_autoencoder import as_tensor
from .train_base import trained_autoencoder

_PICTURES, _RESTORED, _HELD_OUT = 7000, 2000, 400
_PERSONAL_SHARE = 0.25
_TRAIN_SEED, _RESTORED_SEED, _HELD_OUT_SEED = 21, 22, 9002
_BATCH, _RATE = 48, 2e-3


def train(folder: Path, steps: int) -> None:
    """Train up to step `steps` with a cosine learning rate; print the shares of `held_out`."""
    write_pid(folder / "classifier.pid")
    torch.set_num_threads(2)
    autoencoder = trained_autoencoder(folder)
    rendered, scenes = _renders(_PICTURES, _TRAIN_SEED)
    base, more = _renders(_RESTORED, _RESTORED_SEED)
    groups = [(rendered, targets(scenes)), (restored(autoencoder, base), targets(more))]
    torch.manual_seed(0)
    model = Classifier()
    optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE, weight_decay=0.02)
    step = 0
    if state := load_state(folder / "classifier.pt"):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    save_timer, begun = Timer(60), time.monotonic()
    while step < steps:
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        loss = sum((_loss(model, pictures, wanted) for pictures, wanted in groups), torch.zeros(()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if save_timer.due() or step == steps:
            save_state(
                folder / "classifier.pt",
                {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step},
            )
            print(
                f"step {step} loss {loss.item():.3f} {time.monotonic() - begun:.0f} s", flush=True
            )
    print("held-out", held_out(model.eval(), autoencoder), flush=True)


def held_out(model: Classifier, autoencoder: Autoencoder) -> dict[str, dict[str, float]]:
    """Return the shares of right labels on held-out renders.

    They are given for the renders, and for the same through the autoencoder.
    """
    rendered, scenes = _renders(_HELD_OUT, _HELD_OUT_SEED)
    kinds = {"renders": rendered, "through the autoencoder": restored(autoencoder, rendered)}
    return {
        kind: {
            name: _share(right, targets(scenes)[name])
            for name, right in model.right(shown, scenes).items()
        }
        for kind, shown in kinds.items()
    }


def _share(right: Tensor, wanted: Tensor) -> float:
    return round(float(right[wanted != UNKNOWN].float().mean()), 4)


@torch.no_grad()
def restored(autoencoder: Autoencoder, pictures: Tensor) -> Tensor:
    """Encode and decode pictures [n, 3, H, W] in 0 to 1."""
    return torch.cat(
        [autoencoder.decode(autoencoder.encode(part)).clamp(0, 1) for part in pictures.split(16)]
    )


def trained_classifier(folder: Path) -> Classifier:
    """Return the classifier of a run.

    Raises FileNotFoundError where none has been trained.
    """
    model = Classifier()
    model.load_state_dict(trained_state(folder, "classifier")["model"])
    return model.eval()


def _renders(count: int, seed: int) -> tuple[Tensor, list[Scene]]:
    """Render random scenes, some of them with personal subjects and styles."""
    own = round(count * _PERSONAL_SHARE)
    rng, names = np.random.default_rng(seed + 1), list(IDENTITIES)
    scenes = random_scenes(count - own, seed) + [
        personal_scene(names[i % len(names)], rng) for i in range(own)
    ]
    return as_tensor(pictures(scenes)), scenes


def _loss(model: Classifier, pictures: Tensor, wanted: dict[str, Tensor]) -> Tensor:
    chosen = torch.randint(len(pictures), (_BATCH // 2,))
    logits = model(_disturbed(pictures[chosen]))
    return sum(
        (F.cross_entropy(logits[name], wanted[name][chosen]) for name in wanted), torch.zeros(())
    )


def _disturbed(shown: Tensor) -> Tensor:
    """Shift, blur and add noise; change brightness and strength of colours.

    A model's pictures differ from renders in these ways: the judge must rely on shapes and hues.
    """
    down, right = (int(n) for n in np.random.randint(-6, 7, 2))
    moved = F.pad(shown, (6, 6, 6, 6), mode="replicate")[
        :, :, 6 + down : 134 + down, 6 + right : 134 + right
    ]
    side = int(np.random.choice((128, 128, 96, 64, 48)))
    softer = F.interpolate(F.interpolate(moved, size=side, mode="area"), size=128, mode="bilinear")
    grey = softer.mean(1, keepdim=True)
    strength = 1 + 0.3 * torch.randn(len(shown), 1, 1, 1)
    gain = 1 + 0.1 * torch.randn(len(shown), 1, 1, 1)
    noise = 0.06 * torch.rand(len(shown), 1, 1, 1) * torch.randn_like(moved)
    return ((grey + strength * (softer - grey)) * gain + noise).clamp(0, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=2000)
    arguments = parser.parse_args()
    train(arguments.folder, arguments.steps)
