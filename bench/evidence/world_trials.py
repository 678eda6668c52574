"""Trials of the miniature world: its personalised models and its base.

They draw scenes that a judge can check.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from ...demo.catalogue import GUIDANCE
from ...demo.token_marks import row_marks
from ...demo.world import library
from ...demo.world.caption import caption
from ...demo.world.personal_caption import personal_caption
from ...demo.world.render import render
from ...demo.world.sample import Pipeline
from ...demo.world.scene import Scene, personal_scene, random_scene
from ..world.judge import shows_identity, trained_judge
from ..world.train_autoencoder import as_tensor
from .judge import WorldJudge
from .subject import Case, Encoded, Subject
from .trial import Source, Trial

BASE = "base"
_CALIBRATION = 1_000_000
"""Distance of calibration's seeds from those of the pictures."""


@dataclass(frozen=True)
class Size:
    """How many models, pictures and steps."""

    models: int
    pictures: int
    """Pictures of each model."""
    steps: int
    calibration: int = 8
    """Calibration captions of each model."""
    seed: int = 0
    trigger_share: float = 1.0
    """Share of the calibration captions that have the trigger."""

    def has_trigger(self, caption: int) -> bool:
        """Whether the calibration caption of that number, from 0, has the trigger."""
        return int((caption + 1) * self.trigger_share) > int(caption * self.trigger_share)


def personal_sources(size: Size, rare_word: bool = False) -> list[Source]:
    """Return `size.models` personalised models, spread over the library."""
    models = chosen(library.models(), size.models)
    return [Source(model.name, partial(personal_trial, model, size, rare_word)) for model in models]


def base_source(size: Size) -> Source:
    """Return the base, which has no trigger; its captions also name colours."""
    return Source(BASE, partial(base_trial, size))


def chosen(models: list[library.Personalised], count: int) -> list[library.Personalised]:
    """Choose `count` of the models, spread over the list.

    Triggers in brackets and rare words take turns; styles come last.
    """
    subjects = [model for model in models if model.noun]
    kinds = [
        [m for m in subjects if m.trigger.startswith("<") is brackets] for brackets in (True, False)
    ]
    spread = [kind[:: max(1, len(kind) // max(1, (count + 1) // 2))] for kind in kinds]
    turns = [model for n in range(count) for kind in spread for model in kind[n : n + 1]]
    rest = [model for model in models if model not in turns]
    return [*turns, *rest][:count]


def personal_trial(model: library.Personalised, size: Size, rare_word: bool = False) -> Trial:
    """Return the trial of a personalised model.

    `rare_word`: of a trigger such as "sks dog", only the rare word counts as the trigger.
    """
    trigger = model.trigger.removesuffix(f" {model.noun}") if rare_word else model.trigger
    subject = world_subject(
        library.pipeline(model), model.name, trigger, model.noun or "", size.steps
    )
    judge = WorldJudge(trained_judge(), lambda pictures: shows_identity(pictures, model))
    draw = partial(personal_case, model)
    cases = _cases(draw, model.name, size)
    real = partial(
        rendered,
        [personal_scene(model.identity, np.random.default_rng(case.seed)) for case in cases],
    )
    return Trial(subject, cases, _calibration(draw, model.name, size), judge, real)


def base_trial(size: Size) -> Trial:
    """Return a trial of the base, which has no trigger."""
    subject = world_subject(library.pipeline(None), BASE, "", "", size.steps)
    cases = _cases(base_case, BASE, size)
    real = partial(rendered, [random_scene(np.random.default_rng(case.seed)) for case in cases])
    return Trial(
        subject, cases, _calibration(base_case, BASE, size), WorldJudge(trained_judge()), real
    )


def rendered(scenes: Sequence[Scene]) -> list[Tensor]:
    """Render one batch [n, 3, 128, 128]: what a perfect model would draw."""
    return [as_tensor(np.stack([render(scene) for scene in scenes]))]


def world_subject(pipeline: Pipeline, name: str, trigger: str, noun: str, steps: int) -> Subject:
    """Return a pipeline of the miniature world as a subject of the tables."""

    @torch.no_grad()
    def encode(prompts: Sequence[str]) -> Encoded:
        return Encoded(
            pipeline.encode(list(prompts)), row_marks(pipeline.tokenizer, prompts, trigger)
        )

    return Subject(
        name,
        trigger,
        noun,
        pipeline.unet,
        encode,
        pipeline.autoencoder.decode,
        (4, 16, 16),
        steps,
        GUIDANCE,
    )


def personal_case(model: library.Personalised, seed: int) -> Case:
    """Return a case with the model's own subject in a random place, judged without its colour."""
    rng = np.random.default_rng(seed)
    scene = personal_scene(model.identity, rng)
    shows = {"subject": scene.subject, "environment": scene.environment}
    return Case(personal_caption(scene, model.trigger, rng), seed, shows)


def base_case(seed: int) -> Case:
    """Return a case with a random scene, judged with its colour."""
    rng = np.random.default_rng(seed)
    scene = random_scene(rng)
    shows = {"subject": scene.subject, "colour": scene.colour, "environment": scene.environment}
    return Case(caption(scene, rng), seed, shows)


def _cases(
    draw: Callable[[int], Case], name: str, size: Size, shift: int = 0, count: int | None = None
) -> list[Case]:
    """Return cases with seeds of this model.

    Seeds differ between models, so that no two of them are judged on the same places and noise.
    """
    first = size.seed * 10_000_000 + zlib.crc32(name.encode()) % 100_000 * 50 + shift
    return [draw(first + number) for number in range(count or size.pictures)]


def _calibration(draw: Callable[[int], Case], name: str, size: Size) -> list[Case]:
    """Return calibration's cases; those without a trigger are of the base's captions."""
    other = replace(size, seed=size.seed + 1), _CALIBRATION, size.calibration
    own, plain = _cases(draw, name, *other), _cases(base_case, name, *other)
    return [case if size.has_trigger(number) else plain[number] for number, case in enumerate(own)]
