"""Calibrate a whole UNet, block by block, as a job that can be stopped and continued."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import nn

from ..families import LayerBits
from ..quantize import quantize_weight
from ..report import Report
from ..spec import Activations, Preset, as_preset
from .adaround import ITERATIONS, Schedule
from .blocks import Block, Method, find_blocks
from .calls import Call
from .fingerprint import fingerprint
from .reconstruct import BlockResult, reconstruct_, set_weights
from .recorder import Recorder
from .store import Store

BlockProgress = Callable[[int, int, str, float, float], None]
"""Blocks done, blocks in all, the block's name, and the relative error of its output with weights
rounded to nearest and with the result of calibration.
"""


@dataclass(frozen=True)
class Calibration:
    """The report of the quantized model, and its blocks' results in the order of execution."""

    report: Report
    blocks: tuple[BlockResult, ...]


def calibrate(
    model: nn.Module,
    batches: Sequence[Call],
    preset: str | Preset,
    method: Method,
    folder: str | Path,
    iterations: int = ITERATIONS,
    seed: int = 0,
    progress: BlockProgress | None = None,
    *,
    learning_rate: float | None = None,
    batch_size: int = 4,
    overrides: LayerBits | None = None,
    reference: nn.Module | None = None,
) -> Calibration:
    """Quantize a float32 UNet in place, with rounding learned on `batches`.

    The UNet has LDM or diffusers names. `batches` are calls of the UNet as (args, kwargs), and
    should include the conditional and the unconditional branch. `method` "brecq" learns the layers
    of each residual or transformer block together, "adaround" each layer separately. `iterations`,
    `learning_rate` (None = the one that fits the iterations), `batch_size` (calls) and `seed` apply
    to each block; `overrides` are as in
    `quantize_`; `reference` is the same model in full precision (None = a copy of `model`).

    After each block, its weights are written to `folder` and `progress` is called. Called again
    with the original model and the same arguments, it continues after the last finished block, and
    the result has the same bits as without the interruption (on the same machine with the same
    number of threads). A block whose file is broken is made again.

    Raises ValueError for a model that is not float32 or that `quantize_` refuses, for no batches or
    batches that do not run every layer, for an unknown preset or method, for overrides that match
    nothing, and if `folder` holds a calibration with other arguments.
    """
    preset = as_preset(preset)
    schedule = Schedule(iterations, learning_rate, batch_size, seed, method)
    _check(model, batches)
    with torch.inference_mode(False):
        model.eval()
        blocks = find_blocks(model, batches[0], preset.weight_bits, method, overrides)
        bits = {
            "weight_bits": preset.weight_bits,
            "overrides": [[*pair] for pair in (overrides or {}).items()],
            **asdict(preset.activations),
        }
        learning = asdict(replace(schedule, learning_rate=schedule.rate))
        settings = {"preset": preset.name, **bits, **learning}
        hashes = {"weights": fingerprint(model.state_dict()), "batches": fingerprint(batches)}
        store = Store(folder, settings | hashes)
        names = [block.name for block in blocks]
        recorder = Recorder(model, reference or deepcopy(model), names, batches)
        for number, block in enumerate(blocks):
            if not _restored(model, block, store, number, preset.activations):
                # Each block has its own seed, so that a continued run draws the same numbers as an
                # uninterrupted one.
                own = replace(schedule, seed=seed + number)
                result = reconstruct_(recorder, block, preset.activations, own)
                weights = {layer: model.get_parameter(f"{layer}.weight") for layer in block.layers}
                store.put(number, result, weights)
            if progress:
                result = store.finished[number]
                progress(
                    number + 1, len(blocks), result.name, result.error_before, result.error_after
                )
    return Calibration(Report.of(model, preset), store.finished)


def _restored(
    model: nn.Module, block: Block, store: Store, number: int, activations: Activations
) -> bool:
    """Load the weights of a finished block from the folder into `model`, if they are there."""
    weights = {
        layer: quantize_weight(model.get_parameter(f"{layer}.weight"), bits)
        for layer, bits in block.layers.items()
    }
    if not store.fill(number, weights):
        return False
    set_weights(model, weights, activations)
    return True


def _check(model: nn.Module, batches: Sequence[Call]) -> None:
    if not batches:
        raise ValueError(
            "there are no calibration batches; give at least one call of the UNet as (args, kwargs)"
        )
    for name, parameter in model.named_parameters():
        if parameter.dtype != torch.float32:
            raise ValueError(f"{name} is {parameter.dtype}; calibrate in float32 (model.float())")
