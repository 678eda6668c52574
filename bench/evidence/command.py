"""`personalq bench evidence`: tables by name, on the miniature world or on a checkpoint of one's own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...taq_kernels.calibration import Schedule
from ..baselines.weights import RoundingName, round_weights
from . import coupling, methods_table, sensitivity, sensitivity_table, tables, world_trials
from .about import about, models_digest
from .checkpoint import Loading
from .checkpoint_trials import sources as checkpoint_sources
from .compare import Rounder, compare
from .kept_run import KeptRun
from .summary import rows_of
from .trial import Source
from .world_trials import Size

RESULTS = Path(__file__).resolve().parents[1] / "results"
TABLES = ("sensitivity", "methods", "quantizers", "coupling", "controls")
QUICK = Size(models=2, pictures=4, steps=10, calibration=4)
FULL = Size(models=4, pictures=16, steps=20, calibration=8)
_MOST_PROMPTS = 4
"""Prompts of each model whose rows are quantized one at a time."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint of one's own in place of the miniature world."""

    file: Path
    loading: Loading
    prompts: str = "dreambooth"
    scores: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """What the command was given."""

    size: Size
    quick: bool
    out: Path
    rounding: RoundingName = "nearest"
    iterations: int = 400
    """Of learning each layer's or block's rounding."""
    checkpoint: Checkpoint | None = None

    @property
    def round_(self) -> Rounder:
        """The learning rate rises as the published iterations are cut."""
        published = Schedule()
        schedule = Schedule(self.iterations, published.learning_rate * published.iterations / self.iterations)
        return partial(round_weights, rounding=self.rounding, schedule=schedule)


@dataclass(frozen=True)
class Measured:
    """One table as it was measured."""

    name: str
    title: str
    note: str
    run: KeptRun
    rows: list[dict[str, object]]
    text: str
    plot: Callable[[Path], None]

    @property
    def seconds(self) -> float:
        """Of all cells."""
        return round(sum(cell["seconds"] for cell in self.run.cells.values()), 1)

    def as_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "note": self.note,
            "settings": self.run.settings,
            "about": self.run.about,
            "seconds": self.seconds,
            "rows": self.rows,
        }

    def markdown(self, plot: str = "") -> str:
        """With the picture called `plot`, if any."""
        used = ", ".join(f"{key} {value}" for key, value in self.run.settings.items())
        machine = ", ".join(f"{key} {value}" for key, value in self.run.about.items())
        shown = f"![{self.title}]({plot})" if plot else ""
        parts = (f"# {self.title}", f"{used}.", f"{machine}; {self.seconds:.0f} s.", self.text, shown, NOTES, self.note)
        return "\n\n".join(filter(None, parts)) + "\n"


NOTES = (
    "Precision is simulated: values of the stated bits, computed in float32. In brackets: 95 % intervals over "
    "pictures (bootstrap), for shares Wilson's. PSNR, SSIM, Fréchet and the errors of eps are against the same seed in "
    'full precision; "Fréchet, real" is to renders of what was asked for. MB: all weights as stored, with scales, two '
    "bytes a value for what stays in floating point. G BOPs: bit operations of a call for one prompt, 16 x 16 for "
    "floating point, rows kept exact at that price."
)


def options_of(given: argparse.Namespace) -> Options:
    """From the arguments of the command line. Raises ValueError for a checkpoint without its class word."""
    size = QUICK if given.quick else FULL
    named = {key: getattr(given, key) for key in ("models", "pictures", "steps") if getattr(given, key)}
    size = replace(size, seed=given.seed, **named)
    own = None
    if given.checkpoint:
        if not given.noun:
            raise ValueError('give --class, the class word of the checkpoint\'s subject, such as "dog"')
        loading = Loading(given.trigger, given.noun, given.turbo, size.steps, given.side)
        own = Checkpoint(given.checkpoint, loading, given.prompts, tuple(given.scores))
    return Options(size, given.quick, given.out, given.weights, given.iterations, own)


def run(names: Sequence[str], options: Options) -> list[Measured]:
    """The tables named, in that order; none named = all that can be measured.

    Raises ValueError for an unknown table, and for "coupling" on a checkpoint of one's own.
    """
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise ValueError(f"there is no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    if options.checkpoint and "coupling" in names:
        raise ValueError("the table coupling selects among the models of the miniature world: leave --checkpoint out")
    chosen = names or [name for name in TABLES if not (options.checkpoint and name == "coupling")]
    return [_measure(name, options) for name in chosen]


def keep(measured: Sequence[Measured], options: Options, folder: Path = RESULTS) -> list[Path]:
    """Write figures, table and plot of each; returns the paths of the tables."""
    written = []
    for one in measured:
        on = options.checkpoint.file.stem if options.checkpoint else "world"
        name = f"evidence_{one.name}_{on}{'_quick' if options.quick else ''}"
        (folder / f"{name}.json").write_text(json.dumps(one.as_dict(), indent=1) + "\n", "utf-8")
        one.plot(folder / f"{name}.png")
        (folder / f"{name}.md").write_text(one.markdown(f"{name}.png"), "utf-8")
        written.append(folder / f"{name}.md")
    return written


def _measure(name: str, options: Options) -> Measured:
    settings = _settings(name, options)
    kept = KeptRun(options.out, settings, about())
    if name == "sensitivity":
        return _sensitivity(kept, options)
    if name == "coupling":
        return _coupling(kept, options)
    found = _sources(options)
    if name == "methods" and not options.checkpoint:
        found.append(world_trials.base_source(options.size))
    table = tables.TABLES[name](options.quick)
    compare(kept, found, table.variants, options.round_)
    rows = rows_of(kept, [source.name for source in found], [variant.name for variant in table.variants])
    text, plot = methods_table.text(rows), partial(methods_table.plot, rows)
    return Measured(name, table.title, table.note, kept, [row.as_dict() for row in rows], text, plot)


def _sensitivity(kept: KeptRun, options: Options) -> Measured:
    found = _sources(options, rare_word=True)
    prompts = 1 if options.quick else min(_MOST_PROMPTS, options.size.pictures)
    sensitivity.measure(kept, found, prompts)
    deltas = sensitivity_table.deltas(kept, [source.name for source in found], prompts, sensitivity.BITS)
    note = (
        "Only the conditional prompt's rows of K and V are quantized, each row with a scale of its own. Of a trigger "
        'such as "sks dog" the rare word is the trigger of one token, and the noun one of the other words.'
    )
    text, plot = sensitivity_table.text(deltas), partial(sensitivity_table.plot, deltas)
    rows = [delta.as_dict() for delta in deltas]
    return Measured("sensitivity", "Sensitivity of the text's rows", note, kept, rows, text, plot)


def _coupling(kept: KeptRun, options: Options) -> Measured:
    table = coupling.table(options.quick)
    asked = replace(options.size, pictures=options.size.models * options.size.pictures)
    rows, notes = [], [table.note]
    for selection, selected in coupling.selections(asked).items():
        found = coupling.sources(selection, selected, asked)
        compare(kept, found, table.variants, options.round_)
        right = coupling.right_share(selected)
        notes.append(f"{selection}: the model that was meant for {sum(right)} of {len(right)} requests.")
        of_selection = rows_of(kept, [source.name for source in found], [variant.name for variant in table.variants])
        rows += [row.named(f"{selection}: {row.name}") for row in of_selection]
    text, plot = methods_table.text(rows), partial(methods_table.plot, rows)
    return Measured("coupling", table.title, " ".join(notes), kept, [row.as_dict() for row in rows], text, plot)


def _sources(options: Options, rare_word: bool = False) -> list[Source]:
    size, own = options.size, options.checkpoint
    if own:
        return checkpoint_sources(
            own.file, own.loading, own.prompts, size.pictures, size.calibration, own.scores, size.seed
        )
    return world_trials.personal_sources(size, rare_word)


def _settings(name: str, options: Options) -> dict[str, Any]:
    own = options.checkpoint
    on: dict[str, Any] = {"on": "the miniature world", "trained models": models_digest()}
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
    learned = {} if options.rounding == "nearest" else {"iterations": options.iterations}
    sizes = {key: value for key, value in asdict(options.size).items() if not (own and key == "models")}
    return {"table": name, **on, **sizes, "quick": options.quick, "weights": options.rounding, **learned}
