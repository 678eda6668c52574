"""Quantize the weights of a UNet in place."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import filter as matching

from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from .families import SUPPORTED, LayerBits, family_of, layer_bits
from .layouts.formats import choose_layout, layer_weights
from .modules import set_weight
from .report import Report
from .spec import Preset, as_preset


def quantize_weight(weight: Tensor, preset: str | Preset | int) -> QuantizedTensor:
    """Quantize a Linear weight [O, I] or a Conv2d weight [O, C, kh, kw] for a preset, or to 8 or 4
    bits.

    The result behaves as a tensor of the weight's own dtype. Raises ValueError for any other rank,
    and for a weight that is quantized already.
    """
    if isinstance(weight, QuantizedTensor):
        raise ValueError("this weight is quantized already; quantize the original weights")
    bits = preset if isinstance(preset, int) else as_preset(preset).weight_bits
    layout = choose_layout(tuple(weight.shape), bits)
    # Quantize in float32: in half precision, scales near its smallest values would make the codes
    # less precise.
    values = weight.detach().float()
    return QuantizedTensor.from_float(values, layout.name, **layout.options).to(weight.dtype)


def quantize_(
    module: nn.Module, preset: str | Preset, *, overrides: LayerBits | None = None
) -> Report:
    """Replace the Linear and Conv2d layers of a UNet by quantized ones, in place, and return a
    report.

    The UNet has LDM or diffusers names. Its first, last, time and label layers, its norms, and the
    projections to keys and values of cross-attention stay in full precision. `overrides` gives
    layers other bits (`families.layer_bits`). Raises ValueError for an unknown preset, for a module
    that is not a UNet with text cross-attention, for one that is quantized already, and for a
    pattern that no layer matches.
    """
    preset = as_preset(preset)
    overrides = overrides or {}
    weights = layer_weights(module)
    check_unet(weights)
    check_overrides(weights, overrides)
    for name, weight in weights.items():
        bits = layer_bits(name, preset.weight_bits, overrides)
        if bits:
            set_weight(module, name, quantize_weight(weight, bits), preset.activations)
    return Report.of(module, preset)


def check_unet(weights: Mapping[str, Tensor]) -> None:
    """Raise ValueError unless the layers (name -> weight) are those of a UNet that can be
    quantized.
    """
    family_of({name: tuple(weight.shape) for name, weight in weights.items()})
    if not any(layer_bits(name, 8, {}) for name in weights):
        raise ValueError(f"this module has no layer to quantize; supported are {SUPPORTED}")
    done = next(
        (name for name, weight in weights.items() if isinstance(weight, QuantizedTensor)), None
    )
    if done:
        raise ValueError(f"{done} is quantized already; quantize the original model")


def check_overrides(names: Mapping[str, object], overrides: LayerBits) -> None:
    """Raise ValueError for a pattern that matches no layer."""
    idle = [pattern for pattern in overrides if not matching(names, pattern)]
    if idle:
        some = ", ".join(list(names)[:3])
        raise ValueError(
            f"no layer is called {', '.join(idle)}; layers here are called {some}, ..."
        )
