"""`personalq bench two-loras --strengths`: how strong two LoRAs of one picture should be.

Both act on the whole picture, in full precision, each at the same share of its own strength. The
judge names one identity for each square of a picture: a subject, a style, or none.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from ...demo.catalogue import MODELS, SIDE, DemoModel
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
from .pairs import newest_loras, pairs

STRENGTHS = {
    0.5: "1/n",
    0.7: "n^-0.5; Autopilot's",
    0.8: "Stylus', of two concepts",
    0.85: "n^-0.25: Repo Check-in's",
    1.0: "own strength",
}
"""Strength of each of two LoRAs -> whose rule gives it."""
TWO, STYLED = "two subjects", "a subject in a style"
NAME, TITLE = "two_loras_strengths", "How strong two LoRAs of one picture should be"


@dataclass(frozen=True)
class Mix:
    """One picture with two LoRAs on all of it."""

    models: tuple[DemoModel, DemoModel]
    request: str
    seed: int
    squares: int
    """Of 128 x 128 pixels, side by side: the judge looks at each."""


def mixes(kind: str, count: int, seed: int) -> list[Mix]:
    """The first `count` pictures: of two subjects side by side, or of one in a style."""
    if kind == TWO:
        return [Mix(pair.models, pair.request, pair.seed, 2) for pair in pairs(count, seed)]
    subjects = newest_loras()
    return [_styled(subjects[n % len(subjects)], 1000 * seed + n) for n in range(count)]


def _styled(subject: DemoModel, seed: int) -> Mix:
    """In the words of the style's captions: "blueprint style a <dog-v2> in the snow"."""
    scene = personal_scene(style().identity, np.random.default_rng(seed))
    said = personal_caption(scene, style().trigger, np.random.default_rng(seed))
    return Mix((subject, style()), said.replace(scene.subject, subject.trigger, 1), seed, 1)


def style() -> DemoModel:
    """The demo's LoRA of a style."""
    return next(one for one in MODELS if one.is_lora and not IDENTITIES[one.identity].noun)


def measure(
    done: ResumableRun,
    pictures: int,
    steps: int,
    seed: int,
    folder: Path,
    host: Callable[[], HostProcess],
) -> list[dict[str, Any]]:
    """Draw and judge what is missing; return a row for each kind of picture and strength."""
    rows = []
    for kind in (STYLED, TWO):
        asked = mixes(kind, pictures, seed)
        for strength in STRENGTHS:
            seen = []
            for number, mix in enumerate(asked):
                name = f"{kind.replace(' ', '_')}_{strength}_{number:02}"

                def draw(
                    mix: Mix = mix, strength: float = strength, name: str = name
                ) -> dict[str, Any]:
                    graph = whole_graph(mix.models, mix.request, strength, mix.seed, steps)
                    graph["latent"]["inputs"]["width"] = mix.squares * SIDE
                    entry = host().prompt(graph)
                    if why := failure(entry):
                        raise HostError(f"{mix.request}: {why}")
                    folder.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(host().pictures(entry)[0], folder / f"{name}.png")
                    with Image.open(folder / f"{name}.png") as image:
                        squares = np.split(np.array(image.convert("RGB")), mix.squares, 1)
                    return {"seen": identities(squares)}

                seen.append(done.measurement(name, draw)["seen"])
            rows.append({"kind": kind, "strength": strength, **counted(asked, seen), "seen": seen})
    return [*rows, _rendered(mixes(STYLED, pictures, seed))]


def counted(asked: Sequence[Mix], seen: Sequence[Sequence[str]]) -> dict[str, int]:
    """How many pictures show both LoRAs, the first alone, the second alone, or neither.

    Of two subjects in any order: both in the two squares, or one of them in any.
    """
    names = ("neither", "first", "second", "both")
    found = Counter(
        names[sum(2**n for n, model in enumerate(mix.models) if model.identity in squares)]
        for mix, squares in zip(asked, seen, strict=True)
    )
    return {"of": len(asked), **{name: found[name] for name in names}}


def identities(squares: Sequence[NDArray[np.uint8]]) -> list[str]:
    """The identity that the judge sees in each picture [128, 128, 3]."""
    pixels = torch.tensor(np.stack(squares)).permute(0, 3, 1, 2) / 255
    return [LABELS["identity"][int(one)] for one in trained_judge().seen(pixels)["identity"]]


def _rendered(asked: Sequence[Mix]) -> dict[str, Any]:
    """What the judge sees in renders of the same subjects in the style: what a model could do."""
    scenes = [personal_scene(m.models[0].identity, np.random.default_rng(m.seed)) for m in asked]
    look = IDENTITIES[style().identity].style
    seen = [[one] for one in identities([render(replace(s, style=look)) for s in scenes])]
    return {"kind": STYLED, "strength": None, **counted(asked, seen), "seen": seen}


def report(result: dict[str, Any]) -> str:
    """Return the tables in Markdown."""
    said = (f"{key} {value}" for key, value in {**result["settings"], **result["about"]}.items())
    parts = [f"{', '.join(said)}."]
    for kind, shown in ((STYLED, ("the subject", "the style")), (TWO, ("the left", "the right"))):
        heading = ["strength of each", "rule", "both", f"{shown[0]} alone", f"{shown[1]} alone"]
        rows = [
            [
                f"{row['strength'] or 'renders'}",
                STRENGTHS.get(row["strength"], "what a perfect model would draw"),
                *(_share(row[name], row["of"]) for name in ("both", "first", "second", "neither")),
            ]
            for row in result["rows"]
            if row["kind"] == kind
        ]
        parts += [f"## {kind.capitalize()}", markdown([[*heading, "neither"], *rows])]
    return "\n\n".join(parts)


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count} of {of} ({low:.0%} to {high:.0%})"
