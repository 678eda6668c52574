"""The host's patcher for a quantized UNet, which adds bypass branches to the weights only to save
the model.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import comfy.utils
from comfy.model_patcher import ModelPatcher
from comfy.quant_ops import QUANT_ALGOS, QuantizedTensor

from ....checkin.lexicon.sentences import say
from ..models.lora_fit import fitting
from ..models.patch_bytes import Patches, patch_bytes
from . import bypass_branches, control_lora
from .patches import is_bypass, is_offloaded, merged_patches
from .side_memory import side_memory

BYPASS_LORA = "bypass_lora"
"""The key under which the host's bypass LoRA loaders store their injections."""


class TAQPatcher(ModelPatcher):
    """Loads, unloads and saves a quantized UNet; `clone()` returns the same class."""

    patches: Any
    loaded_by: Any = None
    """`cached_patcher_init` of the model in full precision, which says the file that it is of."""

    @classmethod
    def with_patches_of(cls, source: ModelPatcher, base: TAQPatcher) -> TAQPatcher:
        """The quantized UNet of `base` with everything of `source` except its weights: LoRAs,
        samplers, patches, wrappers, hooks.

        Raises ValueError for a LoRA that is bound to the modules of `source`.
        """
        if BYPASS_LORA in source.injections:
            raise ValueError(
                say(
                    "A bypass LoRA loader stands before TAQ Quantize Model and is bound to the "
                    "model it was given. Use the plain LoRA loader, which runs beside the "
                    "quantized weights too, or put the bypass loader after TAQ."
                )
            )
        merged = merged_patches(source)
        made: Any = source.clone(
            disable_dynamic=True, model_override=base.get_clone_model_override()
        )
        made.__class__ = cls  # the host's clone has the class of `source`
        kept = {key: found for key, found in made.patches.items() if key not in merged}
        made.patches = fitting(source.model, kept)
        for key, found in base.patches.items():
            made.patches[key] = [*found, *made.patches.get(key, [])]
        if base.patches:
            made.patches_uuid = uuid.uuid4()  # tells the host that this is a new set of patches
        if "model_sampling" not in made.object_patches:
            # Equal weights may be sampled in another way: a checkpoint says so beside them.
            own = copy.deepcopy(source.get_model_object("model_sampling"))
            made.add_object_patch("model_sampling", own)
        made.size = base.size  # the clone counted the weights of `source`
        made.parent = base  # the host keeps it loaded when this clone is gone
        made.clone_base_uuid = base.clone_base_uuid  # tells the host who shares the weights
        made.is_injected = False  # nothing is injected into the modules of `base` yet
        made.hook_backup, made.cached_hook_patches = {}, {}  # those of `source` hold its weights
        made.loaded_by = source.cached_patcher_init
        made.cached_patcher_init = None  # it would load the full-precision file again
        bypass_branches.install(made)
        control_lora.install(made)
        return made

    def clone(self, *args, **kwargs):
        """Like the host's `clone`, with the same size and file."""
        made = super().clone(*args, **kwargs)
        made.size = self.size  # the host uses `model_size`, which counts more than the weights
        made.loaded_by = self.loaded_by
        return made

    def model_size(self):
        """Bytes of the weights, the side memory, and LoRAs not yet copied to the device."""
        copied = bypass_branches.device_copies(self.model).adapters
        coming = {
            key: [patch for patch in found if id(patch[1]) not in copied]
            for key, found in self.branch_patches().items()
            if not is_offloaded(self._layer(key))
        }
        return super().model_size() + side_memory(self.model).nbytes + patch_bytes(coming)

    def loaded_size(self):
        """Bytes on the device, including side memory."""
        return super().loaded_size() + side_memory(self.model).nbytes

    def get_key_patches(self, filter_prefix=None):
        """Raise ValueError: the host's merge nodes call this for floating-point weights, and these
        are quantized.
        """
        raise ValueError(
            "This model is quantized by TAQ, and quantized weights cannot be merged. Merge the "
            "full-precision models first, then put TAQ Quantize Model behind the merge."
        )

    def branch_patches(self) -> Patches:
        """The patches that run as branches."""
        return {
            key: found for key, found in self.patches.items() if is_bypass(self.model, key, found)
        }

    def hook_branches(self) -> Patches:
        """The patches of the LoRA hooks that are active now, at their current strengths.

        Raises ValueError for a hook that changes weights in another way.
        """
        combined = self.get_combined_hook_patches(self.current_hooks)
        for key, found in combined.items():
            if not is_bypass(self.model, key, found):
                raise ValueError(
                    f"A hook changes '{key}' in a way that cannot run beside quantized weights (it "
                    "is no plain LoRA, LoHa or LoKr). Use it without a hook, before TAQ Quantize "
                    "Model (of Repo Check-in, switch each_in_its_place off), or sample without TAQ."
                )
        return combined

    def patch_hooks(self, hooks) -> None:
        """Set the active hooks, which run as branches.

        The host's method would copy floating-point values into the quantized weights.
        """
        self.current_hooks = hooks

    def load(self, device_to=None, *args, **kwargs):
        """Like the host's `load`, with only the patches that are merged into weights.

        Also those of parameters that stand beside other modules, as modulations do, which the
        host's `load` leaves out.
        """
        with self._without_branches():
            super().load(device_to, *args, **kwargs)
            for key in self.patches.keys() - self.backup.keys():
                if any(True for _ in self._layer(key).children()):
                    self.patch_weight_to_device(key, device_to=device_to)

    def partially_load(self, *args, **kwargs):
        """Like the host's `partially_load`, without needless work when only branches change.

        When patches change, the host unloads and reloads the weights, but branches are not in them.
        """
        loaded = self.model.current_weight_patches_uuid
        if (
            loaded is not None
            and not self.backup
            and not self.lowvram_patch_counter()
            and self._only_branches()
        ):
            self.model.current_weight_patches_uuid = self.patches_uuid
        return super().partially_load(*args, **kwargs)

    def partially_unload(self, device_to, memory_to_free=0, force_patch_weights=False):
        """Free `memory_to_free` bytes, side memory first; returns the bytes freed."""
        side = side_memory(self.model)
        freed = side.nbytes
        side.clear()
        if freed >= memory_to_free:
            return freed
        with self._without_branches():
            return freed + super().partially_unload(
                device_to, memory_to_free - freed, force_patch_weights
            )

    def _load_list(self, *args, **kwargs):
        return [
            entry for entry in super()._load_list(*args, **kwargs) if not is_offloaded(entry[-2])
        ]

    def model_state_dict_for_saving(self, model=None, prefix=""):
        """The state dict as the host's loaders read it.

        Branches are added to the weights, because a file cannot store them. Weights in formats that
        only this pack knows, those of convolutions, are decoded.
        """
        state = super().model_state_dict_for_saving(model, prefix)
        branches = self.branch_patches()
        modules = (self.model if model is None else model).named_modules()
        own = [f"{prefix}{name}.weight" for name, layer in modules if _has_own_format(layer)]
        for key in dict.fromkeys([*branches, *own]):
            layer, name = self._layer(key), key.removeprefix(prefix)
            weight = layer.weight
            if key in branches or not getattr(layer, "comfy_patched_weights", False):
                weight = self.patch_weight_to_device(
                    key, device_to=self.load_device, return_weight=True
                )
            if _has_own_format(layer):
                for part in weight.state_dict(name):
                    del state[part]
                del state[f"{name.removesuffix('weight')}comfy_quant"]
                weight = weight.dequantize()
            parts = (
                weight.state_dict(name) if isinstance(weight, QuantizedTensor) else {name: weight}
            )
            state.update({part: tensor.cpu() for part, tensor in parts.items()})
        return state

    def _layer(self, key: str) -> Any:
        return comfy.utils.get_attr(self.model, key.rpartition(".")[0])

    def _only_branches(self) -> bool:
        return (
            not self.weight_wrapper_patches and self.patches.keys() == self.branch_patches().keys()
        )

    @contextmanager
    def _without_branches(self) -> Iterator[None]:
        patches, branches = self.patches, self.branch_patches()
        self.patches = {key: found for key, found in patches.items() if key not in branches}
        try:
            yield
        finally:
            self.patches = patches


def _has_own_format(layer: Any) -> bool:
    """Whether the weight of `layer` is in a format that the host does not know."""
    weight = getattr(layer, "weight", None)
    return isinstance(weight, QuantizedTensor) and layer.quant_format not in QUANT_ALGOS
