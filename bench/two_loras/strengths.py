"""`personalq bench two-loras --strengths`: how strong two LoRAs of one picture should be.

A subject and a style on the whole picture, in full precision. The judge names one identity in a
picture: a subject, a style, or none.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from ...demo.catalogue import MODELS, DemoModel
from ...demo.host_process import HostError, HostProcess, failure
from ...demo.world.identities import IDENTITIES
from ...demo.world.personal_caption import personal_caption
from ...demo.world.render import render
from ...demo.world.scene import personal_scene
from ..evidence.markdown import markdown
from ..evidence.resumable_run import ResumableRun
from ..wilson import wilson
from ..world.classifier import LABELS
from ..world.judge import trained_judge
from .graph import whole_graph
from .pairs import newest_loras

STRENGTHS = {
    (0.5, 0.5): "1/n",
    (0.7, 0.7): "n^-0.5; Autopilot's",
    (0.85, 0.85): "n^-0.25: Repo Check-in's",
    (1.0, 1.0): "own strengths",
    (1.0, 0.0): "the subject's LoRA alone",
    (0.0, 1.0): "the style's LoRA alone",
}
"""Strengths of subject and style -> whose rule gives them, of two LoRAs."""
RENDERS = "renders of the subject in the style"
NAME, TITLE = "two_loras_strengths", "How strong a subject and a style should be"


@dataclass(frozen=True)
class Styled:
    """One picture of a subject in the style."""

    subject: DemoModel
    request: str
    seed: int


def style() -> DemoModel:
    """The demo's LoRA of a style."""
    return next(one for one in MODELS if one.is_lora and not IDENTITIES[one.identity].noun)


def asked(count: int, seed: int) -> list[Styled]:
    """The first `count` pictures; the subjects take turns."""
    subjects = newest_loras()
    return [_styled(subjects[n % len(subjects)], 1000 * seed + n) for n in range(count)]


def _styled(subject: DemoModel, seed: int) -> Styled:
    """In the words of captions: the style's trigger, then one of the subject with its look."""
    rng = np.random.default_rng(seed)
    said = personal_caption(personal_scene(subject.identity, rng), subject.trigger, rng)
    return Styled(subject, f"{style().trigger} {said}", seed)


def measure(
    done: ResumableRun, pictures: Sequence[Styled], folder: Path, host: Callable[[], HostProcess]
) -> list[dict[str, Any]]:
    """Draw and judge what is missing; return a row for each strength, and one of renders."""
    rows = []
    for strengths in STRENGTHS:
        names = ["{:g}_{:g}_{:02}".format(*strengths, number) for number in range(len(pictures))]
        seen = [
            done.measurement(
                name, partial(_draw, one, strengths, done.settings, folder / f"{name}.png", host)
            )["seen"]
            for name, one in zip(names, pictures, strict=True)
        ]
        rows.append({"strengths": strengths, **counted(pictures, seen), "seen": seen})
    look = IDENTITIES[style().identity].style
    scenes = [personal_scene(p.subject.identity, np.random.default_rng(p.seed)) for p in pictures]
    seen = identities([render(replace(scene, style=look)) for scene in scenes])
    return [*rows, {"strengths": None, **counted(pictures, seen), "seen": seen}]


def _draw(
    one: Styled,
    strengths: tuple[float, float],
    settings: dict[str, Any],
    file: Path,
    host: Callable[[], HostProcess],
) -> dict[str, Any]:
    graph = whole_graph((one.subject, style()), one.request, strengths, one.seed, settings["steps"])
    entry = host().prompt(graph)
    if why := failure(entry):
        raise HostError(f"{one.request}: {why}")
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(host().pictures(entry)[0], file)
    with Image.open(file) as image:
        return {"seen": identities([np.array(image.convert("RGB"))])[0]}


def counted(pictures: Sequence[Styled], seen: Sequence[str]) -> dict[str, int]:
    """In how many pictures the judge sees the subject itself, and in how many the style."""
    own = sum(one == picture.subject.identity for picture, one in zip(pictures, seen, strict=True))
    return {"of": len(seen), "subject": own, "style": seen.count(style().identity)}


def identities(pictures: Sequence[NDArray[np.uint8]]) -> list[str]:
    """The identity that the judge sees in each picture [128, 128, 3]."""
    pixels = torch.tensor(np.stack(pictures)).permute(0, 3, 1, 2) / 255
    return [LABELS["identity"][int(one)] for one in trained_judge().seen(pixels)["identity"]]


def report(result: dict[str, Any]) -> str:
    """Return the table in Markdown."""
    heading = ["subject", "style", "rule", "shows the subject", "shows the style"]
    rows = [
        [
            *(f"{one:g}" if one else "" for one in row["strengths"] or (0, 0)),
            STRENGTHS.get(row["strengths"], RENDERS),
            *(_share(row[name], row["of"]) for name in ("subject", "style")),
        ]
        for row in result["rows"]
    ]
    said = (f"{key} {value}" for key, value in {**result["settings"], **result["about"]}.items())
    return f"{', '.join(said)}.\n\n{markdown([heading, *rows])}"


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count} of {of} ({low:.0%} to {high:.0%})"
