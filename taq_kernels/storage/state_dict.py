"""A UNet's weights as a state dict of quantized entries, named as ComfyUI names them in its own
quantized files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from comfy_kitchen.tensor import QuantizedTensor
from comfy_kitchen.tensor.w4a8_int8 import dequantize_w4a8_int8_weight
from torch import Tensor

from ..backends import registry
from ..families import LayerBits, layer_bits
from ..layouts import conv_int4, conv_int8
from ..layouts.formats import INT4_LINEAR, INT8_LINEAR
from ..quantize import check_overrides, check_unet, quantize_weight

CONV_FORMATS = {"personalq_int8_conv": conv_int8.NAME, "personalq_int4_conv": conv_int4.NAME}
"""Name in a `comfy_quant` entry -> layout, for convolutions (ComfyUI's own formats are for Linear).
"""
_FORMATS = {INT8_LINEAR: "int8_tensorwise", INT4_LINEAR: "asym_w4a8_int8"} | {
    v: k for k, v in CONV_FORMATS.items()
}
_ENTRY = "comfy_quant"
_PARALLEL = 8

Progress = Callable[[int, int], None]
Read = Callable[[], Tensor]


def quantize_state(
    weights: Mapping[str, Read],
    bits: int,
    overrides: LayerBits | None = None,
    progress: Progress | None = None,
) -> dict[str, Tensor]:
    """The quantized entries of a UNet's `weights`, name in the UNet -> function that reads it.

    `overrides` as in `quantize_`; `progress(done, total)` is called after each weight. What stays
    in full precision keeps its dtype. Raises ValueError for overrides that match nothing.
    """
    check_overrides(
        {name.removesuffix(".weight"): None for name in weights if name.endswith(".weight")},
        overrides or {},
    )
    state: dict[str, Tensor] = {}
    for done, (name, read) in enumerate(weights.items(), 1):
        weight, (layer, _, kind) = read(), name.rpartition(".")
        wanted = (
            layer_bits(layer, bits, overrides or {})
            if kind == "weight" and weight.ndim in (2, 4)
            else None
        )
        state |= entries(layer, quantize_weight(weight, wanted)) if wanted else {name: weight.cpu()}
        if progress:
            progress(done, len(weights))
    return state


def entries(layer: str, weight: QuantizedTensor) -> dict[str, Tensor]:
    """State-dict entries of the quantized weight of `layer`, in main memory."""
    tensors = {name: tensor.cpu() for name, tensor in weight.state_dict(f"{layer}.weight").items()}
    return {**tensors, f"{layer}.{_ENTRY}": quant_entry(_format(weight))}


def portable(state: Mapping[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """Quantized entries, from whatever file, that every backend of `device` takes.

    4-bit Linear weights of earlier versions are rotated in groups that CUDA kernels refuse: they
    become 8-bit ones of the same values. Apple's GPUs have no 8-bit floats, which are the group
    scales of 4-bit weights.
    """
    made = dict(state)
    for layer in (name.removesuffix(f".{_ENTRY}") for name in state if name.endswith(f".{_ENTRY}")):
        conf = json.loads(bytes(state[f"{layer}.{_ENTRY}"].tolist()))
        if conf["format"] != _FORMATS[INT4_LINEAR]:
            continue
        names = [name for name in state if name.startswith(f"{layer}.weight")]
        if conf["convrot_groupsize"] != registry.ROTATION:
            stored = {name.removeprefix(f"{layer}.weight"): made.pop(name) for name in names}
            made |= entries(layer, quantize_weight(_dequantized(stored, conf), 8))
        elif device.type == "mps":
            made[f"{layer}.weight_s_rel"] = made[f"{layer}.weight_s_rel"].float()
    return made


def _dequantized(stored: Mapping[str, Tensor], conf: Mapping[str, Any]) -> Tensor:
    parts = stored[""], stored["_s_rel"], stored["_s_channel"]
    codebook, sizes = stored.get("_codebook"), (conf["group_size"], conf["convrot_groupsize"])
    return dequantize_w4a8_int8_weight(*parts, codebook, None, *sizes, torch.float32)


def quant_entry(conf: Mapping[str, object]) -> Tensor:
    """The `comfy_quant` entry of a state dict: JSON as uint8."""
    return torch.tensor(list(json.dumps(conf).encode()), dtype=torch.uint8)


def fingerprint(weights: Mapping[str, Tensor], also: Iterable[object] = ()) -> str:
    """SHA-256, in hexadecimal, of the weights' names, shapes and values in half precision, and of
    what else they depend on. So a checkpoint has the fingerprint of its copies in half precision
    and in float32.
    """
    with ThreadPoolExecutor(_PARALLEL) as pool:
        digests = pool.map(_digest, weights.values())
        lines = [f"{name} {digest}" for name, digest in zip(weights, digests, strict=True)]
    return hashlib.sha256(
        "\n".join([*sorted(lines), *(_digest(part) for part in also)]).encode()
    ).hexdigest()


def refuse_quantized(weights: Mapping[str, Tensor]) -> None:
    """Raises ValueError for weights that are not those of a full-precision UNet with text
    cross-attention.
    """
    if any(name.endswith(_ENTRY) for name in weights):
        raise ValueError("these weights are quantized already; quantize the original weights")
    layers = {
        name.removesuffix(".weight"): w
        for name, w in weights.items()
        if name.endswith(".weight") and w.ndim > 1
    }
    check_unet(layers)


def _digest(part: object) -> str:
    """Of a tensor by its values, of a collection or an object with `weights` by its parts, of a
    function by its name, of anything else by repr.
    """
    if isinstance(part, Tensor):
        hashed = hashlib.sha256(str(tuple(part.shape)).encode())
        hashed.update(
            part.detach()
            .to("cpu", torch.float16)
            .contiguous()
            .view(-1)
            .view(torch.uint8)
            .numpy()
            .data
        )
        return hashed.hexdigest()
    if isinstance(part, tuple | list):
        return hashlib.sha256(" ".join(map(_digest, part)).encode()).hexdigest()
    if hasattr(part, "weights"):
        return type(part).__name__ + _digest(part.weights)
    if callable(part):  # its repr is an address
        return (
            f"{getattr(part, '__qualname__', type(part).__name__)} of "
            f"{type(getattr(part, '__self__', None)).__name__}"
        )
    return repr(part)


def _format(weight: QuantizedTensor) -> dict[str, str | int]:
    """How a `comfy_quant` entry names the layout of `weight`."""
    name = _FORMATS[weight._layout_cls]
    sizes = ("group_size", "convrot_groupsize") if name == "asym_w4a8_int8" else ()
    return {"format": name, **{size: getattr(weight.params, size) for size in sizes}}
