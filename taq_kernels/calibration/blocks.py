"""Blocks of layers whose rounding is learned together, in the order in which a UNet runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from torch import nn

from ..families import LayerBits, block_name, layer_bits
from ..layouts.formats import layer_weights
from ..quantize import check_overrides, check_unet
from .calls import Call, calling_order

Method = Literal["adaround", "brecq"]
METHODS = ("adaround", "brecq")


@dataclass(frozen=True)
class Block:
    """A module and its layers to quantize: full name -> bits, in the order in which they run."""

    name: str
    layers: Mapping[str, int]


def find_blocks(
    model: nn.Module,
    call: Call,
    bits: int,
    method: Method = "brecq",
    overrides: LayerBits | None = None,
) -> list[Block]:
    """The blocks ("brecq") or the single layers ("adaround") of a UNet, in the order of `call`.

    The UNet has LDM or diffusers names. `bits` are those of the preset's weights. Layers that
    `quantize_` leaves in full precision are left out: first, last, time and label layers,
    cross-attention keys and values, and those that `overrides` exclude. If a block is never called
    as a module, each of its layers becomes a block. Raises ValueError for an unknown method, for a
    model or overrides that `quantize_` refuses, and for layers that `call` does not run.
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; known are {', '.join(METHODS)}")
    layers = _layers_to_quantize(model, bits, overrides or {})
    blocks = {layer: block_name(layer) if method == "brecq" else layer for layer in layers}
    order = calling_order(model, sorted({*layers, *blocks.values()}), call)
    missed = [layer for layer in layers if layer not in order]
    if missed:
        raise ValueError(
            f"the first batch does not run {', '.join(missed[:3])}{' ...' if missed[3:] else ''}; "
            "calibrate with batches that run every layer, or keep these in full precision"
        )
    members: dict[str, dict[str, int]] = {}
    for layer in sorted(layers, key=order.__getitem__):
        members.setdefault(blocks[layer] if blocks[layer] in order else layer, {})[layer] = layers[
            layer
        ]
    return [Block(name, members[name]) for name in sorted(members, key=order.__getitem__)]


def _layers_to_quantize(model: nn.Module, bits: int, overrides: LayerBits) -> dict[str, int]:
    weights = layer_weights(model)
    check_unet(weights)
    check_overrides(weights, overrides)
    return {name: own for name in weights if (own := layer_bits(name, bits, overrides))}
