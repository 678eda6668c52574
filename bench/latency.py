"""Measure seconds and turns from a request to its picture: the paper's Table VI."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import torch

from ..checkin import Repository, check_in
from ..taq_kernels import PRESETS, quantize_
from ..taq_kernels.attention.diffusers_processor import store_text_
from .evidence import checkpoint_trials, world_trials
from .evidence.checkpoint import Loading
from .evidence.options import Checkpoint, refuse_own
from .evidence.sampler import FullPrecision, draw
from .evidence.subject import joined
from .evidence.trial import Trial
from .evidence.world_trials import Size
from .machine import device_name
from .repo_prompts import NOW, write
from .selection.instances import Instance, read_instances
from .table import table

MAX_QUESTIONS = 3
_FULL = "full precision"


@dataclass(frozen=True)
class Asked:
    """A request that was put to Check-in, with its questions answered."""

    retrieve: float
    """Seconds to rank all models; part of `decide`."""
    decide: float
    """Seconds of the first decision."""
    clarify: tuple[float, ...]
    """Seconds of the decision after each answer."""

    @property
    def turns(self) -> int:
        """What a person says: the request, and each answer."""
        return 1 + len(self.clarify)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench latency`."""
    parser.add_argument("--requests", type=int, default=100, help="of Repo-Prompts, spread over it")
    parser.add_argument("--presets", nargs="+", default=["W8A8"], choices=tuple(PRESETS))
    parser.add_argument("--repeats", type=int, default=5, help="pictures that are timed")
    parser.add_argument("--steps", type=int, default=20, help="of sampling")
    parser.add_argument(
        "--checkpoint",
        type=Path,
        metavar="FILE",
        help="a single-file SD1.5, SDXL or SDXL-Turbo (default: the demo's small base)",
    )
    parser.add_argument("--trigger", default="", metavar="WORD")
    parser.add_argument("--class", default="", dest="noun", metavar="WORD")
    parser.add_argument("--turbo", action="store_true", help="4 steps at 512 px without guidance")
    parser.add_argument("--side", type=int, metavar="PIXELS")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text.

    Raises ValueError for a checkpoint without its class word, and for options of one without it.
    """
    if not options.checkpoint:
        refuse_own(options)
    if min(options.requests, options.repeats) < 1:
        raise ValueError("give --requests 1 and --repeats 1 or more")
    if options.checkpoint and not options.noun:
        raise ValueError('give --class, the class word of the checkpoint\'s subject, such as "dog"')
    size = Size(1, 1, options.steps, 1)
    if options.checkpoint:
        loading = Loading(options.trigger, options.noun, options.turbo, options.steps, options.side)
        trial = checkpoint_trials.sources(Checkpoint(options.checkpoint, loading), size)[0].load()
    else:
        trial = world_trials.base_trial(size)
    result = measure(trial, options.presets, options.repeats, options.requests)
    return result, report(result)


def measure(trial: Trial, presets: Sequence[str], repeats: int, requests: int) -> dict[str, Any]:
    """Measure Check-in on Repo-Prompts, and one picture of `trial` in each precision."""
    with TemporaryDirectory() as folder:
        made = write(Path(folder), 0)
        repository = Repository.open(cards=made / "cards.jsonl")
        instances = read_instances(made / "queries.jsonl")
    chosen = instances[:: max(1, len(instances) // requests)][:requests]
    put(chosen[0], repository, NOW)  # once before, so that nothing is loaded in what is timed
    asked = [put(one, repository, NOW) for one in chosen]
    return {
        "device": device_name(trial.subject.device),
        "model": trial.subject.name,
        "steps": trial.subject.steps,
        "models": len(repository.cards),
        "requests": len(asked),
        "asked": sum(one.turns > 1 for one in asked),
        "turns": sum(one.turns for one in asked) / len(asked),
        "retrieve": median(one.retrieve for one in asked),
        "decide": median(one.decide for one in asked),
        "clarify": median([s for one in asked for s in one.clarify] or [0.0]),
        "generate": {name: generate(trial, name, repeats) for name in (_FULL, *presets)},
    }


def put(instance: Instance, repository: Repository, now: datetime) -> Asked:
    """Put a request to Check-in; answer with the choice that has a card that was meant."""
    started = time.perf_counter()
    repository.rank(instance.text, repository.cards)
    ranked = time.perf_counter()
    decision = check_in(instance.text, repository, now=now)
    decided = time.perf_counter()
    answers: list[str] = []
    seconds: list[float] = []
    while decision.question and len(answers) < MAX_QUESTIONS:
        choices = decision.question.choices
        meant = set(instance.acceptable)
        right = next((one for one in choices if meant & set(one.card_ids)), choices[0])
        answers.append(right.label)
        began = time.perf_counter()
        decision = check_in(instance.text, repository, now=now, answers=answers)
        seconds.append(time.perf_counter() - began)
    return Asked(ranked - started, decided - ranked, tuple(seconds))


@torch.no_grad()
def generate(trial: Trial, preset: str, repeats: int) -> float:
    """Return the median seconds of one picture, from its prompt to its pixels.

    Keys and values of the text are projected and stored for each picture. The first picture does
    not count.
    """
    subject, case = trial.subject, trial.cases[0]
    unet: Any = subject.unet
    if preset != _FULL:
        unet = deepcopy(unet)
        quantize_(unet, preset)
    seconds = []
    for _ in range(1 + repeats):
        started = time.perf_counter()
        prompt, empty = subject.encode([case.prompt]), subject.encode([""])
        if preset != _FULL:
            both = joined(prompt, empty) if subject.guidance > 1 else prompt
            store_text_(unet, PRESETS[preset].attention, both.marks)
        draw(subject, FullPrecision(unet), prompt, empty, subject.noise([case]))
        seconds.append(time.perf_counter() - started)
    return median(seconds[1:])


def report(result: dict[str, Any]) -> str:
    """Return the measurement as a table; times are medians in seconds."""
    head = (
        f"{result['requests']} requests over {result['models']} models; Check-in asked in "
        f"{result['asked']}; {result['turns']:.2f} turns a request. {result['model']}, "
        f"{result['steps']} steps, on {result['device']}. Not counted: reading and typing, and "
        "loading a model."
    )
    rows: list[tuple[object, ...]] = [
        ("seconds", "retrieve", "decide", "clarify", "generate", "end to end", "with a question")
    ]
    for name, drawn in result["generate"].items():
        whole = result["decide"] + drawn
        parts = result["retrieve"], result["decide"], result["clarify"]
        rows.append((name, *parts, drawn, whole, whole + result["clarify"]))
    return f"{head}\n\n{table(rows)}"
