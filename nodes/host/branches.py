"""LoRAs beside a quantized layer: output = quantized(x) + lora(x), in full precision.

The base is then quantized once for all its LoRAs, a change of model or strength changes no weight, and LoRAs that are
scheduled or belong to one prompt (hooks) work on quantized weights.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import comfy.utils
import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import WrappersMP
from comfy.weight_adapter import LoHaAdapter, LoKrAdapter, LoRAAdapter, WeightAdapterBase
from comfy.weight_adapter.bypass import BypassForwardHook

KEY = "personalq_branches"
_STATES = 4
"""Sets of branches that are kept ready."""
Patches = Mapping[str, list]
"""Weight name -> the host's patches: (strength, adapter or difference, strength of the model, offset, function)."""

_DORA = {LoRAAdapter: 4, LoHaAdapter: 7, LoKrAdapter: 8}
"""Where an adapter keeps the magnitude of DoRA, which scales the sum of base and difference: no branch computes it."""


class Branch:
    """What one LoRA adds to one layer."""

    def __init__(self, layer: torch.nn.Module, adapter: WeightAdapterBase, strength: float):
        self._adapter = copy.copy(adapter)  # it is told about its layer, and it is shared by all models that use it
        BypassForwardHook(layer, self._adapter, strength)

    def __call__(self, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """`out` [..., O] (or [B, O, H, W]) of the layer for its input `x`, with the LoRA's part added."""
        weights: Any = self._adapter.weights
        self._adapter.weights = tuple(part.to(x.device, x.dtype) if _is_float(part) else part for part in weights)
        return out + self._adapter.h(x, out)


def runs_beside(patches: Iterable[tuple]) -> bool:
    """Whether all `patches` of a weight only add to it what the host can compute beside it."""
    return all(
        type(adapter) in _DORA
        and adapter.weights[_DORA[type(adapter)]] is None
        and not (isinstance(adapter, LoRAAdapter) and (adapter.weights[3] is not None or adapter.weights[5]))
        and (model, offset, function) == (1.0, None, None)
        for _, adapter, model, offset, function in patches
    )


def is_branch(model: torch.nn.Module, key: str, patches: Iterable[tuple]) -> bool:
    """Whether the patches of the weight called `key` run as branches of its layer in `model`."""
    layer, _, kind = key.rpartition(".")
    return kind == "weight" and hasattr(comfy.utils.get_attr(model, layer), "branches") and runs_beside(patches)


def make_branches(model: torch.nn.Module, patches: Patches) -> list[tuple[Any, list[Branch]]]:
    """(layer, its branches) for each weight of `model` in `patches`, which are all of the kind that runs beside."""
    layers = ((comfy.utils.get_attr(model, key.removesuffix(".weight")), found) for key, found in patches.items())
    return [(layer, [Branch(layer, patch[1], patch[0]) for patch in found]) for layer, found in layers]


@contextmanager
def branches_on(made: Iterable[tuple[Any, list[Branch]]]) -> Iterator[None]:
    """Inside, the layers run with their branches: for one call of the UNet, because models share its layers."""
    made = list(made)
    try:
        for layer, branches in made:
            layer.branches = [*layer.branches, *branches]
        yield
    finally:
        for layer, _ in made:
            layer.branches = ()


class TAQPatcher(ModelPatcher):
    """The host's patcher of a quantized UNet: what runs as a branch is not added to weights."""

    patches: Any

    def branch_patches(self) -> Patches:
        """The patches that run as branches."""
        return {key: found for key, found in self.patches.items() if is_branch(self.model, key, found)}

    def hook_branches(self) -> Patches:
        """Those of the LoRA hooks that apply at this moment, at their strength of this moment.

        Raises ValueError for a hook that changes weights in another way.
        """
        combined = self.get_combined_hook_patches(self.current_hooks)
        for key, found in combined.items():
            if not is_branch(self.model, key, found):
                raise ValueError(
                    f"A hook changes '{key}' in a way that cannot run beside quantized weights (it is no plain LoRA, "
                    "LoHa or LoKr). Use it without a hook, before TAQ Quantize Model, or sample without TAQ."
                )
        return combined

    def patch_hooks(self, hooks) -> None:
        """The host would copy floats into the quantized weights; here they run as branches."""
        self.current_hooks = hooks

    def load(self, *args, force_patch_weights=False, **kwargs):
        if force_patch_weights:  # for saving: the host adds everything to the weights
            return super().load(*args, force_patch_weights=True, **kwargs)
        with self._without_branches():
            return super().load(*args, **kwargs)

    def partially_unload(self, *args, **kwargs):
        with self._without_branches():
            return super().partially_unload(*args, **kwargs)

    @contextmanager
    def _without_branches(self) -> Iterator[None]:
        patches, branches = self.patches, self.branch_patches()
        self.patches = {key: found for key, found in patches.items() if key not in branches}
        try:
            yield
        finally:
            self.patches = patches


def _is_float(part: Any) -> bool:
    return isinstance(part, torch.Tensor) and part.is_floating_point()


def install(patcher: TAQPatcher) -> None:
    """Let every call of `patcher`'s UNet, and of its clones', run the branches that apply to it."""
    patcher.remove_wrappers_with_key(WrappersMP.APPLY_MODEL, KEY)
    patcher.add_wrapper_with_key(WrappersMP.APPLY_MODEL, KEY, partial(_with_branches, OrderedDict()))


def weights_key(patcher: ModelPatcher) -> tuple:
    """What the weights are at this moment: the patches, and the hooks that apply at their strength of this moment."""
    hooks = patcher.current_hooks.hooks if patcher.current_hooks else ()
    return patcher.patches_uuid, tuple((hook.hook_ref, hook.strength) for hook in hooks)


def _with_branches(made: OrderedDict, executor, *args, **kwargs):
    """APPLY_MODEL wrapper; `made` keeps the branches of the last few states, because they lie on the device."""
    patcher = executor.class_obj.current_patcher
    key = weights_key(patcher)
    if key not in made:
        patches = (patcher.branch_patches(), patcher.hook_branches())
        made[key] = [layer for found in patches for layer in make_branches(patcher.model, found)]
        if len(made) > _STATES:
            made.popitem(last=False)
    with branches_on(made[key]):
        return executor(*args, **kwargs)
