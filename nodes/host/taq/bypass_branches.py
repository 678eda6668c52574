"""LoRAs as bypass branches: output = quantized layer(x) + lora(x), with the LoRA in full precision.

So the base is quantized once for all its LoRAs, a change of LoRA or strength changes no weight, and
LoRAs that are scheduled or belong to one prompt (hooks) work with quantized weights.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import comfy.utils
import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import WrappersMP
from comfy.weight_adapter import LoKrAdapter, WeightAdapterBase
from comfy.weight_adapter.bypass import BypassForwardHook

from ....taq_kernels import quantized_ops
from ..models.lora_fit import fitting
from ..models.patch_bytes import Patches
from .device_copies import STATES, DeviceCopies, is_float
from .lokr import whole_factors
from .low_rank_branch import LowRankBranch
from .patches import is_offloaded
from .side_memory import free_when_unloaded, side_memory

KEY = "personalq_branches"


class Branch:
    """The bypass branch of one LoRA at one layer."""

    def __init__(
        self,
        layer: torch.nn.Module,
        adapter: WeightAdapterBase,
        strength: float,
        copies: DeviceCopies,
    ):
        self._source, self._copies = adapter, copies
        self._conv = layer if isinstance(layer, torch.nn.Conv2d) else None
        self._adapter = copy.copy(
            adapter
        )  # the hook stores the layer in it, and all models that use the adapter share it
        BypassForwardHook(layer, self._adapter, strength)

    def __call__(self, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """Add the LoRA's output to `out` [..., O] (or [B, O, H, W]), the layer's output for `x`."""
        if self._conv is not None:
            x, self._adapter.kw_dict["padding"] = quantized_ops.padded(self._conv, x)
        self._adapter.weights = self._copies.get((self._source,), x.device, x.dtype, self._fitted)
        added = self._adapter.h(x, out)
        self._adapter.weights = ()  # so that only `copies` holds them
        return out + added

    def _fitted(self, weights: Iterable[tuple]) -> tuple:
        """The only adapter's weights as its `h` runs them at the layer."""
        (made,) = weights
        kernel: tuple[int, ...] = ()
        if self._conv is not None:
            kernel = self._conv.kernel_size
        else:  # the LoRA may be for a 1x1 convolution, which this layer is in other models
            made = tuple(part.flatten(1) if is_float(part) else part for part in made)
        return whole_factors(made, kernel) if isinstance(self._source, LoKrAdapter) else made


def make_branches(
    model: torch.nn.Module, patches: Patches, copies: DeviceCopies, before_sampling: bool = False
) -> list[tuple[Any, str, list]]:
    """(layer, its attribute, the branches) for each parameter of `model` in `patches`, which must
    all be bypasses.

    Those of the layers that run before sampling, or of all others, without patches of another size
    than the parameter.
    """
    made: list[tuple[Any, str, list]] = []
    run_now = {
        key: found
        for key, found in patches.items()
        if getattr(_layer(model, key), "before_sampling", False) == before_sampling
    }
    for key, found in fitting(model, run_now).items():
        layer, kind = _layer(model, key), key.rpartition(".")[2]
        if is_offloaded(layer):
            made.append((layer, "branches" if kind == "weight" else "bias_branches", found))
        else:
            made.append((layer, "branches", list(_branches(layer, found, copies))))
    return made


def _layer(model: torch.nn.Module, key: str) -> Any:
    return comfy.utils.get_attr(model, key.rpartition(".")[0])


def _branches(
    layer: Any, patches: Sequence[tuple], copies: DeviceCopies
) -> Iterator[Branch | LowRankBranch]:
    """One branch for all plain LoRAs, and one for each other adapter."""
    plain = [patch for patch in patches if LowRankBranch.takes(layer, patch[1])]
    if plain:
        yield LowRankBranch(layer, plain, copies)
    for patch in patches:
        if not LowRankBranch.takes(layer, patch[1]):
            yield Branch(layer, patch[1], patch[0], copies)


@contextmanager
def branches_on(made: Iterable[tuple[Any, str, list]]) -> Iterator[None]:
    """A context in which the layers run with their branches.

    It lasts for one call of the UNet, because models share its layers.
    """
    made = list(made)
    try:
        for layer, attribute, branches in made:
            setattr(layer, attribute, [*getattr(layer, attribute), *branches])
        yield
    finally:
        for layer, attribute, _ in made:
            setattr(layer, attribute, ())


def install(patcher: ModelPatcher) -> None:
    """Make every call of the UNet run the branches that apply to it.

    `patcher` is a `TAQPatcher`; its clones do the same.
    """
    made: OrderedDict[tuple, list] = OrderedDict()
    for kind, wrapper in (
        (WrappersMP.APPLY_MODEL, partial(_with_branches, made)),
        (WrappersMP.OUTER_SAMPLE, _with_branches_before_sampling),
    ):
        patcher.remove_wrappers_with_key(kind, KEY)
        patcher.add_wrapper_with_key(kind, KEY, wrapper)
    free_when_unloaded(patcher)


def device_copies(model: torch.nn.Module) -> DeviceCopies:
    """The device copies of the host's `model`, which all its patchers share."""
    if KEY not in model.__dict__:
        model.__dict__[KEY] = DeviceCopies()
    return model.__dict__[KEY]


def weights_key(patcher: ModelPatcher) -> tuple:
    """A key of the current weights: the patches, the active hooks with their current strengths, and
    what other code injected into layers.
    """
    hooks = patcher.current_hooks.hooks if patcher.current_hooks else ()
    injected = tuple(one for group in patcher.injections.values() for one in group)
    return patcher.patches_uuid, tuple((hook.hook_ref, hook.strength) for hook in hooks), injected


def _with_branches(made: OrderedDict, executor, *args, **kwargs):
    """APPLY_MODEL wrapper; `made` has the branches of the last few states of the weights."""
    patcher = executor.class_obj.current_patcher
    copies = device_copies(patcher.model)
    copies.begin()
    key = weights_key(patcher)
    if key not in made:
        patches = (patcher.branch_patches(), patcher.hook_branches())
        made[key] = [
            layer for found in patches for layer in make_branches(patcher.model, found, copies)
        ]
        if len(made) > STATES:
            made.popitem(last=False)
    made.move_to_end(key)
    with branches_on(made[key]):
        result = executor(*args, **kwargs)
    side_memory(patcher.model).use(copies)  # now the copies are made, and others are out of use
    return result


def _with_branches_before_sampling(executor, *args, **kwargs):
    """OUTER_SAMPLE wrapper: run the branches of the layers with which the host prepares prompts.

    Hooks do not change these layers, in the host neither.
    """
    patcher = executor.class_obj.model_patcher
    copies = device_copies(patcher.model)
    with branches_on(make_branches(patcher.model, patcher.branch_patches(), copies, True)):
        return executor(*args, **kwargs)
