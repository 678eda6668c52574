"""The options of `personalq bench evidence`."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from ...demo.world import library
from ...taq_kernels.calibration import Schedule
from ..baselines.weights import RoundingName, round_weights
from ..prompts.read import DREAMBOOTH, SETS
from .checkpoint import TURBO_STEPS, Loading
from .compare import Rounder
from .provenance import models_digest
from .world_trials import Size, personal_sources

QUICK = Size(models=2, pictures=4, steps=8, calibration=2)
FULL = Size(models=4, pictures=4, steps=8, calibration=4)
"""Size for the miniature world, whose pictures are as right after 8 steps as after 16."""
TRIGGER_SHARE = 0.7
"""Share of published calibration captions that have the trigger."""
OWN = Size(models=1, pictures=16, steps=20, calibration=64, trigger_share=TRIGGER_SHARE)
"""Size for a user's checkpoint, with the published number of calibration captions."""


@dataclass(frozen=True)
class Checkpoint:
    """A user's checkpoint, in place of the miniature world."""

    file: Path
    loading: Loading
    prompts: str = DREAMBOOTH
    """Name of a set, or path of a file."""
    scores: tuple[str, ...] = ()
    real: Path | None = None
    """Folder of real pictures, for the FID."""


@dataclass(frozen=True)
class Options:
    """The options given to the command."""

    size: Size
    quick: bool
    out: Path
    rounding: RoundingName = "nearest"
    iterations: int = 400
    """Iterations in which each layer's or block's rounding is learned."""
    checkpoint: Checkpoint | None = None
    bits: tuple[str, ...] = ()
    """The rows of these bits alone, such as "W8A8"; empty = all."""
    methods: tuple[str, ...] = ()
    """The rows of these methods alone; empty = all."""
    seeds: int = 1
    """How many seeds, from `size.seed` on, draw the pictures and the calibration captions."""

    draw: Path | None = None
    """Folder that keeps the drawn pictures."""
    roundings: tuple[str, ...] = ()
    """In the table of roundings, the rows of these alone; empty = all."""
    base: bool = True
    """Whether the miniature world's base draws pictures too, in the table of methods."""

    @property
    def captions(self) -> bool:
        """Whether the miniature world has other calibration captions than its tables by default."""
        return not self.checkpoint and self.size.trigger_share < 1

    @property
    def sizes(self) -> list[Size]:
        """The size with each of the seeds."""
        return [replace(self.size, seed=self.size.seed + n) for n in range(self.seeds)]

    @property
    def round_(self) -> Rounder:
        """The function that rounds weights."""
        return partial(round_weights, rounding=self.rounding, schedule=Schedule(self.iterations))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench evidence`."""
    parser.add_argument(
        "tables",
        nargs="*",
        metavar="TABLE",
        help="sensitivity, methods, shipped (some rows of methods), quantizers, coupling, "
        "controls, allocation, roundings (default: all but shipped and roundings)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="two models, two captions to calibrate on, fewer rows"
    )
    parser.add_argument("--models", type=int, help="personalised models of the miniature world")
    parser.add_argument("--pictures", type=int, help="of each model")
    parser.add_argument("--steps", type=int, help="of sampling")
    parser.add_argument(
        "--no-base",
        dest="base",
        action="store_false",
        help="without the miniature world's base, which draws in the table of methods too",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seeds", type=int, default=1, help="draw everything with that many seeds, from --seed on"
    )
    parser.add_argument(
        "--bits", nargs="+", default=[], metavar="BITS", help="such rows alone: W8A8, W4A8, ..."
    )
    parser.add_argument(
        "--methods", nargs="+", default=[], metavar="NAME", help="rows of these methods alone"
    )
    parser.add_argument(
        "--roundings",
        nargs="+",
        default=[],
        choices=get_args(RoundingName),
        help="rows of these roundings alone, in the table of roundings",
    )
    parser.add_argument(
        "--captions",
        type=int,
        help="calibration captions of each model, 7 of 10 with the trigger; published are 64",
    )
    parser.add_argument(
        "--weights",
        choices=get_args(RoundingName),
        default="nearest",
        help="how weights are rounded",
    )
    parser.add_argument(
        "--iterations", type=int, default=400, help="of learning each rounding (published: 20000)"
    )
    own = parser.add_argument_group("on a checkpoint of your own, in place of the miniature world")
    own.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="a single-file SD1.5, SDXL or SDXL-Turbo"
    )
    own.add_argument(
        "--trigger", default="", metavar="WORD", help="what stands for your subject in a prompt"
    )
    own.add_argument(
        "--class", default="", dest="noun", metavar="WORD", help='its class word, such as "dog"'
    )
    own.add_argument(
        "--turbo", action="store_true", help="SDXL-Turbo: 4 steps at 512 px without guidance"
    )
    own.add_argument(
        "--side", type=int, metavar="PIXELS", help="default: what the architecture draws"
    )
    own.add_argument(
        "--prompts",
        metavar="SET",
        help=f"{', '.join(SETS)} (default: {DREAMBOOTH}), or a file of yours: a prompt in each "
        "line, a .tsv with a column Prompt, or MS-COCO's captions as .json. Prompts without the "
        "trigger get it appended",
    )
    own.add_argument("--real", type=Path, metavar="FOLDER", help="real pictures, for --scores fid")
    own.add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="SCORE",
        help="fid, clip, lpips, dino: by torchmetrics' networks",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/evidence.json"),
        help="saved as it goes; an interrupted run resumes",
    )
    parser.add_argument(
        "--draw",
        type=Path,
        metavar="FOLDER",
        help="also keep the pictures there, and sheets of full precision beside each row",
    )
    parser.add_argument(
        "--keep", action="store_true", help="write tables and plots to bench/results"
    )


def refuse_own(given: argparse.Namespace) -> None:
    """Raise ValueError for an option that says how a checkpoint is measured: there is none."""
    names = {"--trigger": "trigger", "--class": "noun", "--turbo": "turbo", "--side": "side"}
    names |= {"--prompts": "prompts", "--real": "real", "--scores": "scores"}
    own = [option for option, name in names.items() if getattr(given, name, None)]
    if own:
        raise ValueError(f"{', '.join(own)}: for a checkpoint of yours alone; add --checkpoint")


def options_of(given: argparse.Namespace) -> Options:
    """Return the options from the arguments of the command line.

    Raises ValueError for a checkpoint without its class word, and for options of one without it.
    """
    if not given.checkpoint:
        refuse_own(given)
    size = QUICK if given.quick else OWN if given.checkpoint else FULL
    named = {
        key: getattr(given, key) for key in ("models", "pictures", "steps") if getattr(given, key)
    }
    size = replace(size, seed=given.seed, **named)
    if given.captions:
        size = replace(size, calibration=given.captions, trigger_share=TRIGGER_SHARE)
    own = None
    if given.checkpoint:
        if not given.noun:
            raise ValueError(
                'give --class, the class word of the checkpoint\'s subject, such as "dog"'
            )
        size = replace(size, steps=TURBO_STEPS) if given.turbo else size
        loading = Loading(given.trigger, given.noun, given.turbo, size.steps, given.side)
        prompts = given.prompts or DREAMBOOTH
        if prompts not in SETS and not Path(prompts).is_file():
            raise ValueError(f"there are no prompts {prompts!r}; give {', '.join(SETS)} or a file")
        own = Checkpoint(given.checkpoint, loading, prompts, tuple(given.scores), given.real)
    return Options(
        size,
        given.quick,
        given.out,
        given.weights,
        given.iterations,
        own,
        tuple(given.bits),
        tuple(given.methods),
        given.seeds,
        given.draw,
        tuple(given.roundings),
        given.base,
    )


def settings(name: str, options: Options) -> dict[str, Any]:
    """Return all that the metrics of the table `name` depend on.

    Runs with equal settings count as one run.
    """
    own = options.checkpoint
    on: dict[str, Any] = {
        "on": "the miniature world",
        "trained models": models_digest(_models(name, options.size)),
    }
    if own:
        on = {
            "on": own.file.name,
            "trigger": own.loading.trigger,
            "class": own.loading.noun,
            "prompts": own.prompts,
            "scores": list(own.scores),
            "side": own.loading.side,
            "turbo": own.loading.turbo,
        }
        on |= {"real": str(own.real)} if own.real else {}
    learns = name == "roundings" or options.rounding != "nearest"
    learned = {"iterations": options.iterations} if learns else {}
    left_out = {"models"} if own else set()
    if options.size.trigger_share == 1:
        left_out.add("trigger_share")
    sizes = {key: value for key, value in asdict(options.size).items() if key not in left_out}
    seeds = {"seeds": options.seeds} if options.seeds > 1 else {}
    return {
        "table": name,
        **on,
        **sizes,
        **seeds,
        "quick": options.quick,
        "weights": options.rounding,
        **learned,
    }


def _models(table: str, size: Size) -> list[str]:
    """Return the personalised models that a table draws with.

    The requests of "coupling" may select any model.
    """
    return [
        one.name for one in (library.models() if table == "coupling" else personal_sources(size))
    ]
