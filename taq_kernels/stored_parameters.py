"""How each parameter of a quantized UNet is stored and computed, and totals by layer group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from .backends import registry
from .families import KV_GROUP, TEXT_GROUP, family_of, layer_group
from .layouts.formats import backend, layer_weights, layout_of, stored_bytes
from .spec import Preset

FLOAT_BITS = 16
"""The number of bits that floating-point values count as."""
PROMPTS = 2
"""The number of texts whose keys and values are counted: a prompt and a negative prompt."""


@dataclass(frozen=True)
class StoredParameter:
    """One parameter as it is stored."""

    name: str
    group: str
    bits: int
    computed: str
    """"native", "simulated" or "weight-only" if quantized, else "float"."""
    backend: str
    bytes_before: int
    """Bytes unquantized in half precision: two for each value."""
    bytes_after: int
    """Bytes as stored, including scales; floating-point values count at most two bytes each."""
    bytes_in_memory: int
    """Bytes in memory now; floating-point parts of a float32 module take four for each value."""
    bytes_offloaded: int = 0
    """Bytes that are offloaded to main memory while sampling: those of a projection of text to keys
    or values, or of a layer before it. `bytes_after` is then what a projection computed: all tokens
    of `PROMPTS` texts, in full precision; and nothing for the layers before it.
    """


@dataclass(frozen=True)
class GroupTotal:
    """One line of the report."""

    group: str
    layers: int
    bits: tuple[int, ...]
    computed: tuple[str, ...]
    backends: tuple[str, ...]
    bytes_before: int
    bytes_after: int
    bytes_in_memory: int

    @classmethod
    def of(cls, group: str, parameters: Sequence[StoredParameter]) -> GroupTotal:
        """The total of the parameters of one group."""
        return cls(
            group,
            len(parameters),
            tuple(sorted({p.bits for p in parameters})),
            tuple(sorted({p.computed for p in parameters})),
            tuple(sorted({p.backend for p in parameters})),
            sum(p.bytes_before for p in parameters),
            sum(p.bytes_after for p in parameters),
            sum(p.bytes_in_memory for p in parameters),
        )


def stored_parameters(
    module: nn.Module, preset: Preset, device: torch.device, kv_offloaded: bool
) -> tuple[StoredParameter, ...]:
    """Every parameter of `module` as it is stored, and as `preset` computes with it on `device`.

    `kv_offloaded`: the projections of text to keys and values are offloaded while sampling; then a
    module without text cross-attention raises ValueError.
    """
    at, precision, tokens = registry.machine(device), preset.precision(device).kind, 0
    if kv_offloaded:
        shapes = {name: tuple(weight.shape) for name, weight in layer_weights(module).items()}
        tokens = PROMPTS * family_of(shapes).context_length
    return tuple(
        _stored(f"{name}.{kind}" if name else kind, parameter, layer, preset, precision, at, tokens)
        for name, layer in module.named_modules()
        for kind, parameter in layer.named_parameters(recurse=False)
    )


def _stored(
    name: str,
    parameter: Tensor,
    layer: nn.Module,
    preset: Preset,
    precision: str,
    at: registry.Machine,
    prompt_tokens: int,
) -> StoredParameter:
    """Describe one parameter.

    `prompt_tokens` is the number of tokens whose keys or values are counted in place of a
    projection of text; 0 = the projections stay loaded.
    """
    group, values = layer_group(name), parameter.numel()
    if isinstance(parameter, QuantizedTensor):
        bits, size = layout_of(parameter).bits, stored_bytes(parameter)
        runs_on = backend(parameter, getattr(layer, "groups", 1), at, preset.activations).name
        computed = precision
        if preset.activations.int8_rows:
            computed = "simulated" if runs_on == registry.FLOAT else "native"
        return StoredParameter(name, group, bits, computed, runs_on, 2 * values, size, size)
    loaded = parameter.element_size() * values
    size = min(loaded, 2 * values)
    if prompt_tokens and group in (KV_GROUP, TEXT_GROUP) and parameter.dim() == 2:
        projected = prompt_tokens * 2 * parameter.shape[0] if group == KV_GROUP else 0
        return StoredParameter(
            name, group, FLOAT_BITS, "float", "once per prompt", 2 * values, projected, loaded, size
        )
    return StoredParameter(name, group, FLOAT_BITS, "float", "float", 2 * values, size, loaded)
