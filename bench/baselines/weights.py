"""Rounded weights, shared by all methods: to nearest, or learned with AdaRound or BRECQ.

Their grids are those of `taq_kernels.layouts.formats`; at 4 bits they are finer than the one scale
per output channel of the published methods. So methods in our tables differ in how they treat
activations and text, not weights.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any, Literal, get_args

from torch import Tensor, nn

from ...taq_kernels.calibration import Block, Schedule, find_blocks, reconstruct_
from ...taq_kernels.calibration.blocks import Method as Learned
from ...taq_kernels.calibration.recorder import Recorder
from ...taq_kernels.families import KV_GROUP, block_name, layer_group
from ...taq_kernels.layouts.formats import layer_weights
from ...taq_kernels.quantize import quantize_weight
from ...taq_kernels.spec import Activations
from .method import Bits, Calibration, RoundedWeights

RoundingName = Literal["nearest", "adaround", "brecq"]


def round_weights(
    unet: nn.Module,
    bits: Bits,
    calibration: Calibration,
    rounding: RoundingName = "nearest",
    schedule: Schedule | None = None,
    text: bool = True,
) -> RoundedWeights:
    """Return rounded weights of every Linear and Conv2d of `unet`, which stays unchanged.

    With `bits.weights` None there are none. The formats are those of `taq_kernels`. "adaround"
    learns the rounding of each layer, "brecq" that of each residual and transformer block together,
    with full-precision activations; `schedule` is that of each layer or block (None = as published:
    20,000 iterations), and its calls are of one picture each, as TAQ Calibrate records them. First,
    last, time and label layers are always rounded to nearest. So are keys and values of the text
    where `text` is False: the others are then learned beside exact ones, as TAQ computes them.
    Raises ValueError for an unknown rounding.
    """
    if rounding not in get_args(RoundingName):
        raise ValueError(
            f"rounding must be one of {', '.join(get_args(RoundingName))}; got {rounding!r}"
        )
    if bits.weights is None:
        return RoundedWeights(None, {})
    layers = layer_weights(unet)
    rounded: dict[str, Any] = {
        name: quantize_weight(weight, bits.weights) for name, weight in layers.items()
    }
    if rounding != "nearest":
        schedule = schedule or Schedule()
        rounded |= _learned(unet, bits.weights, calibration, rounding, schedule, text)
    return RoundedWeights(bits.weights, rounded)


def nearest(weight: Tensor, bits: int) -> Tensor:
    """Return the weight's values rounded to nearest, in float32."""
    return quantize_weight(weight, bits).dequantize()


def _learned(
    unet: nn.Module,
    bits: int,
    calibration: Calibration,
    rounding: Learned,
    schedule: Schedule,
    text: bool,
) -> Any:
    """Return layer name -> quantized weight, with learned rounding."""
    model = deepcopy(unet)
    batches = [one for call in calibration.calls for one in call.pictures()]
    blocks = find_blocks(model, batches[0], bits, rounding)
    if text:
        blocks = _with_keys_and_values(blocks, unet, bits)
    recorder = Recorder(model, unet, [block.name for block in blocks], batches)
    for number, block in enumerate(blocks):
        own = replace(schedule, seed=schedule.seed + number, method=rounding)
        reconstruct_(recorder, block, Activations(None), own)
    return {
        name: model.get_parameter(f"{name}.weight") for block in blocks for name in block.layers
    }


def _with_keys_and_values(blocks: list[Block], unet: nn.Module, bits: int) -> list[Block]:
    """Add cross-attention's to_k and to_v, which `find_blocks` leaves out as TAQ does.

    The other methods round them too: with their transformer block, or each by itself where blocks
    are single layers, before the first block that reads their attention.
    """
    text = {name: bits for name, _ in unet.named_modules() if layer_group(name) == KV_GROUP}
    joined = []
    for block in blocks:
        own = {name: text.pop(name) for name in list(text) if block_name(name) == block.name}
        attention = block.name.removesuffix(".to_out.0")
        before = [name for name in text if name.rpartition(".")[0] == attention]
        joined += [Block(name, {name: text.pop(name)}) for name in before]
        joined.append(Block(block.name, {**block.layers, **own}))
    return [*joined, *(Block(name, {name: bits}) for name in text)]
