"""Weights in the forms in which people have them: plain, quantized for the host, by other tools."""

from __future__ import annotations

from collections.abc import Callable

import torch
from comfy.quant_ops import QuantizedTensor

from personalq.taq_kernels import quantize_weight
from personalq.taq_kernels.storage.state_dict import quant_entry

State = dict[str, torch.Tensor]
FP8 = torch.float8_e4m3fn


def in_fp8(state: State) -> State:
    """Numbers of 8 bits, without scales."""
    return {key: one.to(FP8) if _is_layer(key, one) else one for key, one in state.items()}


def in_scaled_fp8(state: State) -> State:
    """The form of the files that end in "fp8_scaled"."""
    made: State = {"scaled_fp8": torch.zeros(2, dtype=FP8)}
    for key, one in state.items():
        made[key] = one
        if _is_layer(key, one):
            scale = one.abs().max() / 448
            made[key] = (one / scale).to(FP8)
            made[key.replace(".weight", ".scale_weight")] = scale.float().reshape(())
    return made


def _stored(state: State, quantize: Callable[[torch.Tensor], QuantizedTensor]) -> State:
    made: State = {}
    for key, one in state.items():
        if not _is_layer(key, one):
            made[key] = one
            continue
        stored = quantize(one)
        made |= stored.state_dict(key)
        made[key.replace(".weight", ".comfy_quant")] = quant_entry(stored)
    return made


def in_int8(state: State) -> State:
    """Integers of 8 bits."""
    return _stored(state, lambda one: quantize_weight(one, 8))


def in_4_bits(state: State) -> State:
    """Integers of 4 bits, two in a byte."""
    return _stored(state, lambda one: quantize_weight(one, 4))


def _is_layer(key: str, one: torch.Tensor) -> bool:
    return one.ndim == 2 and key.endswith(".weight") and "blocks." in key


FORMS = {"fp8_scaled": in_scaled_fp8, "int8": in_int8, "packed": in_4_bits}
"""Name -> what makes weights that are quantized so."""
