"""A UNet's weights as a state dict of quantized entries, with the names of ComfyUI's own quantized
files.
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
    """Quantize a UNet's `weights`, name in the UNet -> function that reads it.

    Returns the entries of a state dict. `overrides` are as in `quantize_`; `progress(done, total)`
    is called after each weight. Weights in full precision keep their dtype. Raises ValueError for
    overrides that match nothing.
    """
    check_overrides(
        {name.removesuffix(".weight"): None for name in weights if name.endswith(".weight")},
        overrides or {},
    )
    state: dict[str, Tensor] = {}
    for done, (name, read) in enumerate(weights.items(), 1):
        weight, layer = read(), name.rpartition(".")[0]
        wanted = wanted_bits(name, weight, bits, overrides)
        state |= entries(layer, quantize_weight(weight, wanted)) if wanted else {name: weight.cpu()}
        if progress:
            progress(done, len(weights))
    return state


def wanted_bits(name: str, weight: Tensor, bits: int, overrides: LayerBits | None) -> int | None:
    """The bits of the parameter `weight` called `name`; None = it stays in full precision.

    `bits` and `overrides` are as in `quantize_state`.
    """
    layer, _, kind = name.rpartition(".")
    if kind != "weight" or weight.ndim not in (2, 4):
        return None
    return layer_bits(layer, bits, overrides or {})


def entries(layer: str, weight: QuantizedTensor) -> dict[str, Tensor]:
    """State-dict entries for the quantized weight of `layer`, in main memory."""
    tensors = {name: tensor.cpu() for name, tensor in weight.state_dict(f"{layer}.weight").items()}
    return {**tensors, f"{layer}.{_ENTRY}": quant_entry(weight)}


def portable(state: Mapping[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The entries of `state`, with weights that `device` cannot run replaced
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
    """The tensors of each layer: layer -> last part of the tensor's name -> tensor."""
    parts: dict[str, dict[str, Tensor]] = {}
    for name, tensor in state.items():
        layer, _, part = name.rpartition(".")
        parts.setdefault(layer, {})[part] = tensor
    return parts


def quant_entry(weight: QuantizedTensor) -> Tensor:
    """The `comfy_quant` entry of a stored weight: its layout's format and settings, as JSON in
    uint8.
    """
    layout = layout_of(weight)
    settings = {name: getattr(weight.params, name) for name in layout.settings}
    text = json.dumps({"format": layout.format, **settings})
    return torch.tensor(list(text.encode()), dtype=torch.uint8)


def read_entry(entry: Tensor) -> dict[str, Any]:
    """The content of a `comfy_quant` entry: the format and settings of its layout."""
    return json.loads(bytes(entry.tolist()))


def weights_fingerprint(weights: Mapping[str, Tensor], also: Iterable[object] = ()) -> str:
    """SHA-256, in hexadecimal, of the weights' names, shapes and values, and of the objects `also`.

    `also` is what the weights depend on besides. Values are hashed in half precision, so the copies
    of a checkpoint in half precision and in float32 have the same fingerprint.
    """
    with ThreadPoolExecutor(_PARALLEL) as pool:
        digests = pool.map(_digest, weights.values())
        lines = [f"{name} {digest}" for name, digest in zip(weights, digests, strict=True)]
    return hashlib.sha256(
        "\n".join([*sorted(lines), *(_digest(part) for part in also)]).encode()
    ).hexdigest()


def refuse_quantized(weights: Mapping[str, Tensor]) -> None:
    """Raise ValueError unless `weights` are those of a full-precision UNet with text
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
    """A hash or text that identifies `part`.

    It is made from a tensor's values, from the parts of a collection or of an object with
    `weights`, from the name of a function, and from the repr of anything else.
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
    if callable(part):  # its repr has an address, which changes
        return (
            f"{getattr(part, '__qualname__', type(part).__name__)} of "
            f"{type(getattr(part, '__self__', None)).__name__}"
        )
    return repr(part)
