"""Build a simulated UNet from a method's configuration, and calibrate it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import nn

from ...taq_kernels.layouts.formats import layer_weight
from ...taq_kernels.modules import quantized_layer
from .activations import Dynamic
from .attention import AttentionBits
from .layers import ExactRowsLinear, LayerExceptions, SimulatedLayer, matches
from .method import Bits, Calibration, RoundedWeights, Simulated
from .points import Context, Point, Quantizer
from .weights import nearest, round_weights


class Processor(Protocol):
    """An attention processor that states its bits."""

    bits: AttentionBits

    def __call__(self, attn: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the attention `attn`, as diffusers calls its processor."""
        ...


@dataclass(frozen=True)
class SimulationConfig:
    """What a method does with each layer and each attention."""

    input_quantizer: Callable[[str, int], Quantizer]
    """(name of a layer, bits) -> a new quantizer for its input.

    With `Dynamic`, a layer with a rounded weight is TAQ's own, which runs in int8 where it can.
    """
    attention: Callable[[str, int, Context], Processor | None] | None = None
    """(name of an attention, bits, context) -> its processor.

    None: products of attention stay in full precision.
    """
    exceptions: LayerExceptions = field(default_factory=LayerExceptions)
    exact_start_rows: tuple[str, ...] = ()
    """Patterns of Linear layers on the text that compute the start token exactly."""
    protected: str = "none"
    """What is protected, for `Simulated.about`."""


def simulate(
    unet: Any,
    calibration: Calibration,
    bits: Bits,
    weights: RoundedWeights | None,
    config: SimulationConfig,
) -> Simulated:
    """Return a copy of `unet` changed as `config` says; unchanged parameters are shared.

    With `bits` None for weights and for activations it computes exactly what `unet` does. Raises
    ValueError for weights of other bits, and where calibration did not run a layer.
    """
    shared = weights is not None
    weights = weights or round_weights(unet, bits, calibration)
    if weights.wanted != bits.weights:
        raise ValueError(
            f"these weights are rounded to {weights.wanted} bits, and {bits.name} is asked for"
        )
    tensors = [*unet.parameters(), *unet.buffers()]
    copy: Any = (
        deepcopy(unet, {id(tensor): tensor for tensor in tensors}).eval().requires_grad_(False)
    )
    context = Context()
    layers = {
        name: _replace(copy, name, bits, weights, config, context)
        for name, layer in list(unet.named_modules())
        if layer_weight(layer) is not None
    }
    attention = _set_processors(copy, bits, config, context)
    static = [point for point in context.points if point.quantizer.static]
    # Weights that only this call has will not be seen again.
    owners, settings = (unet, weights), (config.exceptions, config.exact_start_rows)
    if not (shared and calibration.ranges.fill(owners, settings, static)):
        _calibrate(copy, calibration, context, static)
        if shared:
            calibration.ranges.keep(owners, settings, static)
    return Simulated(
        copy, context, {"layers": layers, "attention": attention, "protected": config.protected}
    )


def _replace(
    unet: nn.Module,
    name: str,
    bits: Bits,
    weights: RoundedWeights,
    config: SimulationConfig,
    context: Context,
) -> tuple[int | None, int | None]:
    """Replace the layer `name` by a simulated one; return the bits of its weight and input."""
    weight_bits, input_bits = _bits_of(name, bits, weights, config.exceptions)
    if weight_bits is None and input_bits is None:
        return None, None
    original = unet.get_submodule(name)
    layer: Any = deepcopy(original, {id(tensor): tensor for tensor in original.parameters()})
    if weight_bits is not None:
        eight = weight_bits != weights.bits[name]
        value = nearest(layer.weight, weight_bits) if eight else weights.values[name]
        layer.weight = nn.Parameter(value, requires_grad=False)
    made = config.input_quantizer(name, input_bits) if input_bits is not None else None
    if weight_bits is not None and isinstance(made, Dynamic):
        layer = quantized_layer(layer, weights.stored[name], made.activations)
    elif made is not None:
        layer = SimulatedLayer(layer, context.point(name, made))
    if matches(name, config.exact_start_rows):
        layer = ExactRowsLinear(layer, original)
    parent, _, last = name.rpartition(".")
    setattr(unet.get_submodule(parent), last, layer)
    return weight_bits, input_bits


def _bits_of(
    name: str, bits: Bits, weights: RoundedWeights, exceptions: LayerExceptions
) -> tuple[int | None, int | None]:
    if matches(name, exceptions.full):
        return None, None
    eight = matches(name, exceptions.eight_bits)
    weight_bits = weights.bits.get(name) and (8 if eight else weights.bits[name])
    input_bits = bits.activations and (8 if eight else bits.activations)
    return weight_bits, None if matches(name, exceptions.input_full) else input_bits


def _set_processors(
    unet: Any, bits: Bits, config: SimulationConfig, context: Context
) -> dict[str, dict[str, int | None]]:
    """Set the attention processors; return their bits by name of the attention."""
    processors, found = dict(unet.attn_processors), {}
    for key in processors:
        name = key.removesuffix(".processor")
        made = (
            config.attention(name, bits.activations, context)
            if config.attention and bits.activations
            else None
        )
        if made:
            processors[key] = made
        found[name] = (made.bits if made else AttentionBits())._asdict()
    unet.set_attn_processor(processors)
    return found


@torch.no_grad()
def _calibrate(
    unet: nn.Module, calibration: Calibration, context: Context, static: list[Point]
) -> None:
    """Run all calibration calls, with rounded weights and full-precision activations.

    They run in a fixed random order: running ranges would otherwise be those of the last sampling
    steps.
    """
    if not static:
        return
    context.recording = True
    for index in torch.randperm(
        len(calibration.calls), generator=torch.Generator().manual_seed(0)
    ).tolist():
        call = calibration.calls[index]
        context.step, context.protected = call.step, call.protected
        args, kwargs = call.arguments
        unet(*args, **kwargs)
    context.recording = False
    for point in static:
        if point.seen:
            point.quantizer.finish()
