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
from torch import Tensor

from ..families import LayerBits, layer_bits
from ..layouts.formats import FORMATS, layout_of
from ..quantize import check_overrides, check_unet, quantize_weight

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
    return {**tensors, f"{layer}.{_ENTRY}": quant_entry(weight)}


def portable(state: Mapping[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """Quantized entries, from whatever file, that every backend of `device` takes
    (`WeightLayout.portable`).
    """
    made, parts = dict(state), _parts_of_layers(state)
    for layer in (layer for layer, found in parts.items() if _ENTRY in found):
        settings = read_entry(parts[layer][_ENTRY])
        stored = {
            part.removeprefix("weight"): tensor
            for part, tensor in parts[layer].items()
            if part.startswith("weight")
        }
        replaced = FORMATS[settings["format"]].portable(stored, settings, device)
        if replaced is not None:
            for suffix in stored:
                del made[f"{layer}.weight{suffix}"]
            made |= entries(layer, replaced)
    return made


def _parts_of_layers(state: Mapping[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    """Layer -> last part of a name -> tensor."""
    parts: dict[str, dict[str, Tensor]] = {}
    for name, tensor in state.items():
        layer, _, part = name.rpartition(".")
        parts.setdefault(layer, {})[part] = tensor
    return parts


def quant_entry(weight: QuantizedTensor) -> Tensor:
    """The `comfy_quant` entry of a stored weight: the format and settings of its layout, JSON as
    uint8.
    """
    layout = layout_of(weight)
    settings = {name: getattr(weight.params, name) for name in layout.settings}
    text = json.dumps({"format": layout.format, **settings})
    return torch.tensor(list(text.encode()), dtype=torch.uint8)


def read_entry(entry: Tensor) -> dict[str, Any]:
    """What a `comfy_quant` entry says: the format, and settings of its layout."""
    return json.loads(bytes(entry.tolist()))


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
