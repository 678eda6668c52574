"""The layouts there are: which of them stores a weight, and what a stored weight is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module

from comfy_kitchen.tensor import QuantizedLayout, QuantizedTensor, register_layout_class
from torch import Tensor, nn

from ..backends import registry
from ..backends.registry import Backend, Machine
from ..spec import Activations
from .grid import Grid
from .layout import WeightLayout

_FILES = (
    "linear_int8",
    "linear_int4",
    "conv_int8",
    "conv_int4",
)
"""Files of this folder that declare a layout each; the first of those that would do is chosen."""


def _layouts() -> dict[str, type[WeightLayout]]:
    found = [import_module(f".{file}", __package__).LAYOUT for file in _FILES]
    for layout in found:
        if issubclass(layout, QuantizedLayout):  # of our own; others are registered already
            register_layout_class(layout.name, layout)
    return {layout.name: layout for layout in found}


LAYOUTS: Mapping[str, type[WeightLayout]] = _layouts()
"""By the name under which comfy-kitchen knows them."""
FORMATS: Mapping[str, type[WeightLayout]] = {layout.format: layout for layout in LAYOUTS.values()}
"""By their name in a `comfy_quant` entry."""


def layer_weight(module: nn.Module) -> Tensor | None:
    """The weight of a Linear [O, I] or a Conv2d [O, C, kh, kw], of PyTorch or of a host with
    classes of its own; None for any other module.
    """
    weight = getattr(module, "weight", None)
    if not isinstance(weight, Tensor):
        return None
    is_linear = weight.dim() == 2 and hasattr(module, "in_features")
    is_conv = (
        weight.dim() == 4
        and hasattr(module, "kernel_size")
        and not getattr(module, "transposed", False)
    )
    return weight if is_linear or is_conv else None


def layer_weights(module: nn.Module) -> dict[str, Tensor]:
    """Name -> weight of every Linear and Conv2d of `module`."""
    found = ((name, layer_weight(layer)) for name, layer in module.named_modules())
    return {name: weight for name, weight in found if weight is not None}


def choose_layout(shape: tuple[int, ...], bits: int) -> type[WeightLayout]:
    """The layout that stores a weight of `shape` in `bits`, or in the next more bits for which one
    takes it; the report counts it so.

    Raises ValueError for a shape that none takes.
    """
    found = [layout for layout in LAYOUTS.values() if layout.bits >= bits and layout.takes(shape)]
    if not found:
        raise ValueError(
            "only Linear [O, I] and Conv2d [O, C, kh, kw] weights can be quantized, to "
            f"{max(layout.bits for layout in LAYOUTS.values())} bits at most; got shape {shape}, "
            f"{bits} bits"
        )
    return min(found, key=lambda layout: layout.bits)


def layout_of(weight: QuantizedTensor) -> type[WeightLayout]:
    """The layout of a stored weight."""
    return LAYOUTS[weight._layout_cls]


def stored_bytes(weight: QuantizedTensor) -> int:
    """Bytes of the codes and of every tensor beside them (scales, group scales, codebook)."""
    params = (getattr(weight.params, field.name) for field in fields(weight.params))
    return weight._qdata.nbytes + sum(part.nbytes for part in params if isinstance(part, Tensor))


def backend(weight: QuantizedTensor, groups: int, at: Machine, activations: Activations) -> Backend:
    """Who computes with `weight` on the machine `at`; FLOAT with weights decoded."""
    if not activations.int8_rows:
        return Backend(registry.FLOAT, "no product computes with such activations")
    return layout_of(weight).backend(weight, at, groups)


def grid(weight: QuantizedTensor) -> Grid:
    """The values that the codes of a stored weight can take.

    Raises ValueError for a layout whose rounding cannot be chosen.
    """
    layout = LAYOUTS.get(weight._layout_cls)
    if layout is None or layout.grid is None:
        known = (layout.name for layout in LAYOUTS.values() if layout.grid)
        raise ValueError(
            f"the rounding of {weight._layout_cls} weights cannot be calibrated; "
            f"{', '.join(known)} can"
        )
    return layout.grid(weight)
