"""Measure how well the package's own models follow captions: `personalq bench world`.

Steering: for random scenes, how often the base's picture shows the subject, colour, place and style
of its caption. Fidelity: how often a personalised model's picture shows its subject identity (or
its style) with the trigger, and without it. The judge of both is itself evaluated on rendered
pictures that it was not trained on.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...demo.catalogue import GUIDANCE
from ...demo.world import library
from ...demo.world.personal_caption import class_caption, personal_caption
from ...demo.world.scene import class_scene, personal_scene
from .. import kept_results
from ..machine import device_name
from ..table import table
from .judge import shows_identity, trained_judge
from .measure_steering import SEED, Share, drawn_pictures, share_with_interval, sheet, steering
from .train_classifier import held_out

_SHOWN = 48
FIDELITY = ("with trigger", "without")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench world`."""
    parser.add_argument("--samples", type=int, default=96, help="pictures of the base")
    parser.add_argument(
        "--of-each", type=int, default=20, help="pictures of each personalised model, twice"
    )
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--guidance", type=float, default=GUIDANCE)
    parser.add_argument(
        "--keep", action="store_true", help="write table and pictures to bench/results"
    )


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text."""
    results, pictures = evaluate(options.samples, options.of_each, options.steps, options.guidance)
    if options.keep:
        keep(results, pictures)
    return results, report(results)


def evaluate(
    samples: int, of_each: int, steps: int, guidance: float
) -> tuple[dict[str, Any], Tensor]:
    """Return the results, and pictures [48, 3, 128, 128].

    The base's pictures come first, then the first one of each personalised model.
    """
    begun = time.monotonic()
    with torch.no_grad():
        base, shown = steering(library.base(), trained_judge(), samples, steps, guidance)
        models, first = [], []
        for model in library.models():
            shares, pictures = fidelity(model, of_each, steps, guidance)
            models.append(
                {"name": model.name, "kind": model.kind, "trigger": model.trigger, **shares}
            )
            first.append(pictures[:1])
    results = {
        "machine": device_name(torch.device("cpu")),
        "samples": samples,
        "of_each": of_each,
        "steps": steps,
        "guidance": guidance,
    }
    judge = held_out(trained_judge(), library.base().autoencoder)
    results |= {"seed": SEED, "judge": judge, "steering": base, "models": models}
    results["seconds"] = round(time.monotonic() - begun)
    return results, torch.cat([shown[: _SHOWN - len(first)], *first])


def fidelity(
    model: library.Personalised, count: int, steps: int, guidance: float
) -> tuple[dict[str, Share], Tensor]:
    """Return the shares with and without the trigger, and the pictures with it."""
    seed = zlib.crc32(model.name.encode())
    rng, pipeline = np.random.default_rng(seed), library.pipeline(model)
    own = [
        personal_caption(personal_scene(model.identity, rng), model.trigger, rng)
        for _ in range(count)
    ]
    plain = [class_caption(class_scene(model.noun, rng), rng) for _ in range(count)]
    drawn = {
        name: drawn_pictures(pipeline, captions, seed % 2**31, steps, guidance)
        for name, captions in zip(FIDELITY, (own, plain), strict=True)
    }
    shares = {
        name: share_with_interval(int(shows_identity(pictures, model).sum()), count)
        for name, pictures in drawn.items()
    }
    return shares, drawn["with trigger"]


def keep(results: dict[str, Any], pictures: Tensor) -> None:
    """Write the results, the table and the sheet of pictures to bench/results."""
    kept_results.keep("world", results, report(results) + "\n")
    sheet(pictures).save(kept_results.RESULTS / "world.png")


def report(results: dict[str, Any]) -> str:
    """Return the results as text: shares with their 95 % intervals."""
    judge: list[Sequence[object]] = [("the judge, of pictures it has not seen", *results["judge"])]
    judge += [
        (name, *(f"{shares[name]:.1%}" for shares in results["judge"].values()))
        for name in next(iter(results["judge"].values()))
    ]
    rows: list[Sequence[object]] = [("the base draws", "right of " + str(results["samples"]))]
    rows += [(name, _text(share)) for name, share in results["steering"].items()]
    hits = {
        name: sum(m[name][0] for m in results["models"]) / len(results["models"])
        for name in FIDELITY
    }
    personal: list[Sequence[object]] = [("model", "kind", "trigger", "with trigger", "without")]
    personal += [
        (m["name"], m["kind"], m["trigger"], *(_text(m[name]) for name in FIDELITY))
        for m in results["models"]
    ]
    personal.append(("all", "", "", *(f"{share:.1%}" for share in hits.values())))
    options = ("samples", "of_each", "steps", "guidance")
    command = [f"--{name.replace('_', '-')} {results[name]}" for name in options]
    how = f"`personalq bench world {' '.join(command)}`, in float32 on {results['machine']}"
    return f"{how}\n\n{table(judge)}\n\n{table(rows)}\n\n{table(personal)}"


def _text(share: Share) -> str:
    return f"{share[0]:.0%} ({share[1]:.0%} to {share[2]:.0%})"
