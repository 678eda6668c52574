"""Which layers a LoRA file changes, and which of its patches have the size of their weights."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterable
from typing import Any

import comfy.utils
import torch
from comfy.model_patcher import ModelPatcher
from comfy.weight_adapter import LoHaAdapter, LoKrAdapter, LoRAAdapter

from .patch_bytes import Patches

_PART = re.compile(
    r"_lora\.|\.lora[._]|\.(?:hada|lokr|oft|boft)_|\.[ab][12]\.weight$"
    r"|\.(?:alpha|dora_scale|diff|diff_b|set_weight|reshape_weight|rescale|w_norm|b_norm)$"
)
"""Where the name of a tensor's layer ends, as trainers write it."""
_OF_TEXT = re.compile(r"(?:lora_|lora_prior_|lycoris_)?te\d?[._]|text_encoder|clip_[lgh]\.|t5xxl\.")


def layers_of(names: Iterable[str]) -> set[str]:
    """The layers that the tensors of a LoRA file change, by the file's own names."""
    return {name[: found.start()] for name in names if (found := _PART.search(name))}


def is_of_text(layer: str) -> bool:
    """Whether a layer is one of a text encoder."""
    return _OF_TEXT.match(layer) is not None


def keep_fitting(patcher: ModelPatcher, before: Patches) -> int:
    """Remove the patches that were added since `before` and do not have the size of their weight.

    Returns how many layers have new patches. The host would print an error for each of the others
    while it samples, and leave it out.
    """
    layers = set()
    for key, patches in list(patcher.patches.items()):
        old = len(before.get(key, ()))
        weight = comfy.utils.get_attr(patcher.model, key) if len(patches) > old else None
        fitting = [patch for patch in patches[old:] if fits(patch, weight)]
        layers |= {(key.rpartition(".")[0], patch[3]) for patch in fitting}
        patcher.patches[key] = patches[:old] + fitting
        if not patcher.patches[key]:
            del patcher.patches[key]
    return len(layers)


def fitting(model: torch.nn.Module, patches: Patches) -> Patches:
    """Those of `patches` that have the size of their weight in `model`, as the host uses them.

    A warning says how many are left out, as of a LoRA for another base.
    """
    kept = {}
    for key, found in patches.items():
        weight = comfy.utils.get_attr(model, key)
        kept[key] = [one for one in found if fits(one, weight)]
    left_out = sum(map(len, patches.values())) - sum(map(len, kept.values()))
    if left_out:
        logging.warning("PersonalQ: %d patches of a LoRA do not fit the model; left out.", left_out)
    return {key: found for key, found in kept.items() if found}


def fits(patch: tuple, weight: Any) -> bool:
    """Whether a patch changes as many values as the weight has, as far as that can be known."""
    _, change, _, offset, _ = patch
    values = _values(change)
    logical = getattr(weight, "tensor_shape", None)  # of GGUF's tensors, which are packed
    if values is None or (logical is None and weight.dtype == torch.uint8):
        return True
    shape = logical or weight.shape
    size = math.prod(shape)
    return values == (size // shape[offset[0]] * offset[2] if offset else size)


def _values(change: Any) -> int | None:
    """How many values a change has; None for kinds that the host brings to the weight's size."""
    if isinstance(change, LoRAAdapter):
        up, down, _, middle, _, reshaped = change.weights
        if reshaped:
            return None
        kernel = 1 if middle is None else middle.shape[2:].numel()
        return int(up.shape[0] * down[0].numel() * kernel)
    if isinstance(change, LoHaAdapter):
        outer, inner, _, _, _, tucker, *_ = change.weights
        return int(outer.shape[0] * inner[0].numel()) if tucker is None else None
    if isinstance(change, LoKrAdapter):
        first, second, _, a1, b1, a2, b2, tucker, _ = change.weights
        if tucker is not None:
            return None
        return _product(first, a1, b1) * _product(second, a2, b2)
    if isinstance(change, tuple):
        values = change if len(change) == 1 else change[1]  # a difference may go without its name
        if len(values) == 1 and values[0] is not None:  # None: the weight is only multiplied
            return int(values[0].numel())
    return None


def _product(whole: Any, a: Any, b: Any) -> int:
    return int(whole.numel() if whole is not None else a.shape[0] * b[0].numel())
