"""Quantize one block so that it returns nearly the same as in the full-precision model (BRECQ, Li
et al. 2021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from ..modules import set_weight
from ..spec import Activations
from .adaround import Schedule, learn_rounding
from .blocks import Block
from .calls import Call, device_of, on_device
from .recorder import Recorder
from .rounding import Rounding


@dataclass(frozen=True)
class BlockResult:
    """Relative L2 error of a block's output on the calibration batches.

    `error_before` is with weights rounded to nearest, `error_after` with the weights chosen.
    """

    name: str
    layers: tuple[str, ...]
    error_before: float
    error_after: float


def reconstruct_(
    recorder: Recorder, block: Block, activations: Activations, schedule: Schedule
) -> BlockResult:
    """Quantize the layers of one block of the recorder's model in place, and learn their rounding
    together.

    The block's inputs are recorded in that model, whose earlier blocks are quantized already, and
    its target outputs in the reference. If learning increases the block's error, its weights are
    rounded to nearest.
    """
    model = recorder.model
    with torch.inference_mode(False):
        calls, targets = recorder.record(block.name)
        roundings = {
            layer: Rounding(model.get_parameter(f"{layer}.weight"), bits)
            for layer, bits in block.layers.items()
        }
        with torch.enable_grad():
            inside = {_parameter(block, layer): rounding for layer, rounding in roundings.items()}
            learn_rounding(model.get_submodule(block.name), inside, calls, targets, schedule)
        nearest = {layer: rounding.nearest for layer, rounding in roundings.items()}
        set_weights(model, nearest, activations)
        before = output_error(model.get_submodule(block.name), calls, targets)
        set_weights(
            model, {layer: rounding.hard() for layer, rounding in roundings.items()}, activations
        )
        after = output_error(model.get_submodule(block.name), calls, targets)
        if after > before:
            set_weights(model, nearest, activations)
        return BlockResult(block.name, tuple(block.layers), before, min(before, after))


def set_weights(
    model: nn.Module, weights: Mapping[str, QuantizedTensor], activations: Activations
) -> None:
    """Replace the layers named in `weights` by quantized ones."""
    for layer, weight in weights.items():
        set_weight(model, layer, weight, activations)


@torch.no_grad()
def output_error(module: nn.Module, calls: Sequence[Call], targets: Sequence[Tensor]) -> float:
    """Relative L2 error sqrt(sum |module(call) - target|^2 / sum |target|^2), over all calls."""
    error = power = 0.0
    for call, target in zip(calls, targets, strict=True):
        args, kwargs = on_device(call, device_of(module))
        error += (module(*args, **kwargs).cpu() - target).square().sum().item()
        power += target.square().sum().item()
    return (error / max(power, torch.finfo(torch.float32).tiny)) ** 0.5


def _parameter(block: Block, layer: str) -> str:
    """The name of the layer's weight as seen from the block."""
    return f"{layer}.weight"[len(block.name) + 1 :]
