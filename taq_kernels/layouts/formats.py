"""Which format a weight is stored in, and what a stored weight is: bits, bytes, and what computes
with it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from ..backends import registry
from ..backends.registry import Backend, Machine
from ..spec import Activations
from . import conv_int4, conv_int8

INT8_LINEAR = "TensorWiseINT8Layout"
INT4_LINEAR = "AsymW4A8Int8Layout"
BITS = {INT8_LINEAR: 8, INT4_LINEAR: 4, conv_int8.NAME: 8, conv_int4.NAME: 4}


def layer_weight(module: nn.Module) -> Tensor | None:
    """The weight of a Linear or a Conv2d, of PyTorch or of a host with its own classes; None for
    any other module.
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


def weight_format(shape: tuple[int, ...], bits: int) -> tuple[str, dict[str, Any]]:
    """Layout name and its options for a weight of `shape`: 2-D is a Linear, 4-D a Conv2d.

    Raises ValueError for others.

    It is the same for all devices, so that a file goes from one to another. A layer whose input
    width a 4-bit format does not take on all of them (320 and 640 of Linear: `backends.rotates`) is
    stored in 8 bits; the report counts it so. 4-bit Linear: groups of 16 with the codebook have the
    least error of comfy-kitchen's 4-bit formats with 8-bit products.
    """
    if len(shape) == 4:
        return (
            conv_int4.NAME if bits == 4 and shape[1] % conv_int4.GROUP_SIZE == 0 else conv_int8.NAME
        ), {}
    if len(shape) != 2:
        raise ValueError(
            "only Linear [O, I] and Conv2d [O, C, kh, kw] weights can be quantized; got shape "
            f"{shape}"
        )
    if bits == 4 and registry.rotates(shape[1]):
        return INT4_LINEAR, {"group_size": 16, "convrot_groupsize": registry.ROTATION}
    return INT8_LINEAR, {"per_channel": True}


def stored_bytes(weight: QuantizedTensor) -> int:
    """Bytes of the codes and of every tensor beside them (scales, group scales, codebook)."""
    beside = (getattr(weight.params, field.name) for field in fields(weight.params))
    return weight._qdata.nbytes + sum(
        tensor.nbytes for tensor in beside if isinstance(tensor, Tensor)
    )


def backend(weight: QuantizedTensor, groups: int, at: Machine, activations: Activations) -> Backend:
    """Who computes with `weight` on the machine `at`; FLOAT with weights decoded."""
    if not activations.int8_rows:
        return Backend(registry.FLOAT, "no product computes with such activations")
    if weight.dim() == 4:
        return registry.conv(at, tuple(weight.shape), groups)
    return registry.linear(
        at,
        BITS[weight._layout_cls],
        weight.shape[1],
        getattr(weight.params, "convrot_groupsize", None),
    )
