"""`personalq bench learning-rates`: what BRECQ's learning rate does to one block of a demo model.

The first residual block and the first transformer block of its UNet, with weights of 4 bits and
activations in full precision. The rounding is learned as the table `roundings` of `bench evidence`
learns it, and the error of the block's output measured on the captions that it was learned from and
on others.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from ..taq_kernels.calibration import Block, Schedule, find_blocks
from ..taq_kernels.calibration.adaround import learn_rounding
from ..taq_kernels.calibration.calls import Call
from ..taq_kernels.calibration.reconstruct import output_error, set_weights
from ..taq_kernels.calibration.recorder import Recorder
from ..taq_kernels.calibration.rounding import Rounding
from ..taq_kernels.spec import Activations
from .evidence.calibration import record
from .evidence.options import FULL
from .evidence.provenance import about, models_digest
from .evidence.resumable_run import Measurement, ResumableRun
from .evidence.trial import Source
from .evidence.world_trials import Size, personal_sources
from .kept_results import keep
from .table import markdown_table

BLOCKS = {"residual": "resnets", "transformer": "transformer_blocks"}
"""Kind of block -> the part of its name."""
Rows = Mapping[str, Sequence[tuple[int, float]]]
ROWS: Rows = {
    "residual": (
        *((100, rate) for rate in (0.2, 0.05, 0.03, 0.02, 0.014, 0.01)),
        *((400, rate) for rate in (0.05, 0.02, 0.007)),
    ),
    "transformer": ((100, 0.2), (100, 0.014)),
}
"""Kind of block -> the iterations and learning rates that are tried."""
NOTE = (
    "Relative error of the block's output with 4-bit weights, where its inputs are in full "
    "precision. Undecided: the share of weights that were still between two values at the end, "
    "when each takes the nearer one."
)
NAME, TITLE = "learning_rates", "The learning rate of BRECQ in few iterations"
_BITS = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `personalq bench learning-rates`."""
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/learning_rates.json"),
        help="saved as it goes; an interrupted run resumes",
    )
    parser.add_argument("--keep", action="store_true", help="write the table to bench/results")


def run(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the measurement, as data and as text."""
    result = measure(replace(FULL, models=1, seed=options.seed), options.out)
    text = report(result)
    if options.keep:
        keep(NAME, result, f"# {TITLE}\n\n{text}\n")
    return result, text


def measure(size: Size, out: Path, rows: Rows = ROWS) -> dict[str, Any]:
    """Learn what is missing in the file `out`; return all rows.

    The others are the captions of the pictures that `bench evidence` draws.
    """
    (source,) = personal_sources(replace(size, models=1))
    settings = {
        "model": source.name,
        "trained models": models_digest([source.name]),
        "captions": size.calibration,
        "others": size.pictures,
        "steps": size.steps,
        "seed": size.seed,
    }
    done = ResumableRun(out, settings, about())
    block_of = cache(partial(_recorded, source))

    def learn(kind: str, schedule: Schedule | None) -> Measurement:
        block = block_of(kind)
        return block.learned(schedule) if schedule else block.nearest()

    found = []
    for kind, tried in rows.items():
        for iterations, rate in ((0, None), *tried):
            schedule = Schedule(iterations, rate, seed=size.seed) if rate else None
            name = f"{kind}, {iterations}, {rate}"
            errors = done.measurement(name, partial(learn, kind, schedule))
            found.append({"block": kind, "iterations": iterations, "rate": rate, **errors})
    return {"settings": settings, "about": done.about, "rows": found}


@dataclass(frozen=True)
class _Recorded:
    """A block in full precision, and its calls and outputs: of two sets of captions."""

    block: Block
    unet: nn.Module
    own: tuple[list[Call], list[Tensor]]
    others: tuple[list[Call], list[Tensor]]

    def nearest(self) -> Measurement:
        """The errors with weights rounded to nearest."""
        return self._errors({name: one.nearest for name, one in self._roundings().items()})

    def learned(self, schedule: Schedule) -> Measurement:
        """The errors with learned weights, and the share of those that are between two values."""
        roundings = self._roundings()
        outside = f"{self.block.name}."
        inside = {f"{name}.weight".removeprefix(outside): one for name, one in roundings.items()}
        learn_rounding(self.unet.get_submodule(self.block.name), inside, *self.own, schedule)
        h = torch.cat([one.h().detach().flatten() for one in roundings.values()])
        between = ((h > 0) & (h < 1)).float().mean().item()
        errors = self._errors({name: one.hard() for name, one in roundings.items()})
        return {**errors, "undecided": between}

    def _roundings(self) -> dict[str, Rounding]:
        return {
            layer: Rounding(self.unet.get_parameter(f"{layer}.weight"), bits)
            for layer, bits in self.block.layers.items()
        }

    def _errors(self, weights: Mapping[str, QuantizedTensor]) -> Measurement:
        quantized = deepcopy(self.unet)
        set_weights(quantized, weights, Activations(None))
        module = quantized.get_submodule(self.block.name)
        calls = {"own": self.own, "others": self.others}
        return {name: output_error(module, *both) for name, both in calls.items()}


def _recorded(source: Source, kind: str) -> _Recorded:
    """The first block of that kind, in a model whose other layers are in full precision."""
    trial = source.load()
    unet = trial.subject.unet
    own, others = (
        [one for call in record(trial.subject, cases).calls for one in call.pictures()]
        for cases in (trial.calibration_cases, trial.cases)
    )
    block = next(one for one in find_blocks(unet, own[0], _BITS) if BLOCKS[kind] in one.name)
    calls = (Recorder(unet, unet, [block.name], batches) for batches in (own, others))
    return _Recorded(block, unet, *(one.record(block.name) for one in calls))


def report(result: dict[str, Any]) -> str:
    """Return the table in Markdown."""
    said = (f"{key} {value}" for key, value in {**result["settings"], **result["about"]}.items())
    head = ["first block", "iterations", "rate", "captions learned from", "others", "undecided"]
    rows = [
        [
            row["block"],
            row["iterations"] or "to nearest",
            row["rate"] or "",
            f"{row['own']:.4f}",
            f"{row['others']:.4f}",
            f"{row['undecided']:.0%}" if "undecided" in row else "",
        ]
        for row in result["rows"]
    ]
    return f"{', '.join(said)}.\n\n{markdown_table([head, *rows])}\n\n{NOTE}"
