"""Selection and quantization together (the paper's Table V).

The right model or a random one, quantized by TAQ or plainly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import numpy as np
from torch import Tensor

from ...checkin import Card, Repository, check_in
from ...checkin.language.rewrite import rewrite
from ...demo.catalogue import MODELS, DemoModel
from ...demo.world import library
from ...demo.world.caption import PLACE_WORDS
from ...demo.world.environments import ENVIRONMENTS
from ..baselines import ALL_ROWS, METHODS
from ..baselines.method import Bits
from ..world.judge import shows_identity, trained_judge
from .compare import Variant
from .judge import Metrics, WorldJudge
from .subject import Case
from .tables import Table
from .trial import Source, Trial
from .world_trials import BASE, Size, base_case, personal_case, world_subject

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
MAX_QUESTIONS = 2


@dataclass(frozen=True)
class Request:
    """A person's request, and the model they mean."""

    text: str
    meant: library.Personalised
    place: str
    seed: int


@dataclass(frozen=True)
class Selected:
    """A request, with the model (None: the base) and prompt that a selection gives it."""

    request: Request
    model: library.Personalised | None
    prompt: str


@dataclass(frozen=True)
class MeantJudge:
    """Judges each picture by what its request meant, whichever model drew it."""

    world: WorldJudge
    meant: Sequence[library.Personalised]
    """The meant model of each picture."""

    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """As `Judge.metrics`; "trigger" is judged by the meant model."""
        shown = [
            bool(shows_identity(p[None], model)[0])
            for p, model in zip(pictures, self.meant, strict=True)
        ]
        return self.world.metrics(pictures, exact, cases) | {
            "trigger": [float(hit) for hit in shown]
        }

    def features(self, pictures: Tensor) -> Tensor:
        """As `Judge.features`."""
        return self.world.features(pictures)


def table(quick: bool = False) -> Table:
    """Return the rows of the table; with `quick`, only weights of 8 bits."""
    widths = (Bits(8, 8), Bits(8, 4)) if quick else (Bits(8, 8), Bits(4, 8), Bits(8, 4), Bits(4, 4))
    rows = tuple(
        Variant(METHODS[name], bits) for bits in widths for name in ("TAQ", ALL_ROWS, "per tensor")
    )
    note = (
        "Each picture is judged by what its request meant; a random model is any of the library. "
        "PSNR gain: of TAQ over one range for each tensor."
    )
    plain = {
        row.name: Variant(METHODS["per tensor"], row.bits).name
        for row in rows
        if row.method.name != "per tensor"
    }
    return Table("Selection and quantization together", rows, note, plain)


def selections(size: Size) -> dict[str, list[Selected]]:
    """Return the selections of Check-in, and random ones, for `size.pictures` requests."""
    asked = requests(size.pictures, size.seed)
    return {"Check-in": [by_checkin(one) for one in asked], "random": at_random(asked, size.seed)}


def requests(count: int, seed: int) -> list[Request]:
    """Return `count` requests, each for the next model of the library in a random order.

    A request names the model's look, subject and version, and a place drawn uniformly at random.
    """
    models = [model for model in library.models() if model.noun]
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(models))
    made = []
    for number in range(count):
        meant = models[order[number % len(models)]]
        place = str(rng.choice(list(ENVIRONMENTS)))
        model = demo_model(meant)
        builds = [other for other in MODELS if other.lineage == model.lineage]
        version = f" v{model.version}" if len(builds) > 1 else ""
        text = f"my {model.look} {model.subjects[0]}{version} {PLACE_WORDS[place][0]}"
        made.append(Request(text, meant, place, seed * 10_000_000 + 7_000_000 + number))
    return made


def demo_model(model: library.Personalised) -> DemoModel:
    """Return the model's entry in the demo's catalogue."""
    return next(one for one in MODELS if one.trigger == model.trigger)


def card_of(model: library.Personalised) -> Card:
    """Return the demo model's card, without reading its file."""
    one = demo_model(model)
    return Card(
        id=model.name,
        path=one.path,
        kind="lora" if one.is_lora else "checkpoint",
        triggers=(one.trigger,),
        subjects=one.subjects,
        styles=(one.look,),
        description=one.description,
        created_at=one.created_at,
        version=one.version,
        lineage=one.lineage,
    )


def by_checkin(request: Request) -> Selected:
    """Select with Check-in; without a match, take the base.

    Its questions are answered with the choice that leads to the meant model.
    """
    models = {model.name: model for model in library.models()}
    repository = Repository([card_of(model) for model in models.values()], embedder=None)
    answers: list[str] = []
    decision = check_in(request.text, repository, now=NOW, whole_prompt=True)
    while decision.question and len(answers) < MAX_QUESTIONS:
        choices = decision.question.choices
        right = next(
            (choice for choice in choices if request.meant.name in choice.card_ids), choices[0]
        )
        answers.append(right.label)
        decision = check_in(request.text, repository, now=NOW, answers=answers, whole_prompt=True)
    if decision.card is None or decision.prompt is None:
        return Selected(request, None, request.text)
    return Selected(request, models[decision.card.id], decision.prompt)


def at_random(asked: Sequence[Request], seed: int) -> list[Selected]:
    """Select any model of the library for each request, uniformly at random."""
    models = library.models()
    drawn = np.random.default_rng(seed + 1).integers(0, len(models), len(asked))
    return [
        Selected(request, models[number], rewrite(request.text, card_of(models[number])).text)
        for request, number in zip(asked, drawn, strict=True)
    ]


def right_share(selected: Sequence[Selected]) -> list[bool]:
    """Return for each request whether the meant model was selected."""
    return [one.model is not None and one.model.name == one.request.meant.name for one in selected]


def sources(selection: str, selected: Sequence[Selected], size: Size) -> list[Source]:
    """Return one source for each selected model."""
    names = dict.fromkeys(one.model.name if one.model else BASE for one in selected)
    return [
        Source(
            f"{selection}: {name}",
            partial(
                _trial,
                [one for one in selected if (one.model.name if one.model else BASE) == name],
                size,
            ),
        )
        for name in names
    ]


def _trial(selected: Sequence[Selected], size: Size) -> Trial:
    """Return the trial of one model with all requests that selected it."""
    model = selected[0].model
    name, trigger, noun = (model.name, model.trigger, model.noun or "") if model else (BASE, "", "")
    cases = [
        Case(
            one.prompt,
            one.request.seed,
            {"subject": one.request.meant.noun or "", "environment": one.request.place},
        )
        for one in selected
    ]
    draw = partial(personal_case, model) if model else base_case
    judge = MeantJudge(WorldJudge(trained_judge()), [one.request.meant for one in selected])
    subject = world_subject(library.pipeline(model), name, trigger, noun, size.steps)
    return Trial(subject, cases, [draw(9_000_000 + n) for n in range(size.calibration)], judge)
