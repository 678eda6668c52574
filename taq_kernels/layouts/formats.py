"""All layouts: which one stores a weight, and what there is to know about a stored weight."""

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
"""Files in this folder; each declares one layout. If several fit equally, the first is used."""


def _layouts() -> dict[str, type[WeightLayout]]:
    found = [import_module(f".{file}", __package__).LAYOUT for file in _FILES]
    for layout in found:
        if issubclass(layout, QuantizedLayout):  # our own; comfy-kitchen registers its own layouts
            register_layout_class(layout.name, layout)
    return {layout.name: layout for layout in found}


LAYOUTS: Mapping[str, type[WeightLayout]] = _layouts()
"""Layouts by their names in comfy-kitchen."""
FORMATS: Mapping[str, type[WeightLayout]] = {layout.format: layout for layout in LAYOUTS.values()}
"""Layouts by their names in `comfy_quant` entries."""


def layer_weight(module: nn.Module) -> Tensor | None:
    """The weight of a Linear [O, I] or a Conv2d [O, C, kh, kw]; None for any other module.

    The layer may be PyTorch's or of a host's own class.
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
    """Name -> weight of every Linear and Conv2d in `module`."""
    found = ((name, layer_weight(layer)) for name, layer in module.named_modules())
    return {name: weight for name, weight in found if weight is not None}


def choose_layout(shape: tuple[int, ...], bits: int) -> type[WeightLayout]:
    """The layout that stores a weight of `shape` in `bits`.

    If no layout supports the shape in `bits`, the one with the fewest more bits is used, and the
    report counts these bits. Raises ValueError for a shape that no layout supports.
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
    """Bytes of the codes and of all tensors stored with them (scales, group scales, codebook)."""
    params = (getattr(weight.params, field.name) for field in fields(weight.params))
    return weight._qdata.nbytes + sum(part.nbytes for part in params if isinstance(part, Tensor))


def backend(weight: QuantizedTensor, groups: int, at: Machine, activations: Activations) -> Backend:
    """The backend that computes with `weight` on the machine `at`; FLOAT = weights are decoded."""
    if not activations.int8_rows:
        return Backend(registry.FLOAT, "no product computes with such activations")
    return layout_of(weight).backend(weight, at, groups)


def grid(weight: QuantizedTensor) -> Grid:
    """The values that the codes of a stored weight can take.

    Raises ValueError for a layout whose rounding cannot be calibrated.
    """
    layout = LAYOUTS.get(weight._layout_cls)
    if layout is None or layout.grid is None:
        known = (layout.name for layout in LAYOUTS.values() if layout.grid)
        raise ValueError(
            f"the rounding of {weight._layout_cls} weights cannot be calibrated; "
            f"{', '.join(known)} can"
        )
    return layout.grid(weight)
