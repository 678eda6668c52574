"""A quantized copy of a MODEL, by the host's own way in: `custom_operations` and a state dict of
quantized weights.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import comfy.lora
import comfy.model_management
import torch
from comfy.model_base import BaseModel
from comfy.model_patcher import ModelPatcher

from ....taq_kernels import Preset, Report
from ....taq_kernels.families import KV_GROUP, layer_group
from ....taq_kernels.spec import Activations
from ....taq_kernels.storage.files import About
from ....taq_kernels.storage.state_dict import Progress, fingerprint, portable, quantize_state
from ..models.load import source_key
from ..models.pool import POOL
from .files import difference_path, kept_on_disk, read_difference
from .operations import TextLinear, operations
from .patcher import TAQPatcher
from .patches import PREFIX, merged_patches
from .plain_unet import copied_config
from .side_memory import free_when_unloaded, side_memory
from .supported import refuse_unsupported
from .text_projections import TextProjections


@dataclass(frozen=True)
class Recipe:
    """How a UNet is quantized."""

    preset: Preset
    overrides: tuple[tuple[str, int | None], ...] = ()
    """(pattern of layer names, bits or None), the first that matches counts."""
    rounding: str = "nearest"
    """How codes were chosen; any other than "nearest" is read from a file that calibration made."""


class Quantized(NamedTuple):
    """A quantized UNet, and how it was made."""

    patcher: TAQPatcher
    """Holds the quantized UNet and nothing else of the MODEL it was made from."""
    preset: Preset
    seconds: float
    """What quantizing or loading took, the first time."""

    @property
    def report(self) -> Report:
        """What the UNet consists of, counted from the tensors it holds."""
        unet = self.patcher.model.diffusion_model
        return Report.of(
            unet, self.preset, self.patcher.load_device, kv_offloaded=True, seconds=self.seconds
        )


def quantize_model(source: ModelPatcher, recipe: Recipe, progress: Progress) -> Quantized:
    """The UNet of `source`, below its LoRAs, quantized by `recipe`; pooled by the value of those
    weights, and kept on disk for the next start.

    Where a difference from a base was made for it (`personalq quantize --base`), that base and the
    difference. Patches that cannot run beside the weights are quantized with them. `progress(done,
    total)` is called for each weight. Raises ValueError for a model that TAQ does not support.
    """
    refuse_unsupported(source)
    said = about(source, recipe)
    if not difference_path(said).exists():
        return _pooled(source, recipe, said, partial(_state, source, recipe, progress))
    key = ("difference", said.weights, recipe, difference_path(said).stat().st_mtime_ns)
    base, patches = POOL.get(key, lambda: _difference(source, said), lambda found: 0)
    made = _pooled(source, recipe, replace(said, weights=base), _base_is_gone)
    patcher = made.patcher.clone()
    patcher.add_patches(patches)
    return made._replace(patcher=patcher)


def about(source: ModelPatcher, recipe: Recipe) -> About:
    """What a file of `source` quantized by `recipe` says of itself."""
    merged = merged_patches(source)
    key = ("fingerprint", source_key(source), source.patches_uuid if merged else None)
    content = POOL.get(key, lambda: fingerprint(_originals(source), sorted(merged.items())), len)
    return About(content, recipe.preset.weight_bits, recipe.overrides, recipe.rounding)


def _originals(source: ModelPatcher) -> dict[str, torch.Tensor]:
    """The weights below all patches."""
    found = source.get_key_patches(PREFIX)
    return {
        key.removeprefix(PREFIX): convert(weight, inplace=False)
        for key, ((weight, convert), *_) in found.items()
    }


def _difference(source: ModelPatcher, said: About) -> tuple[str, dict]:
    """(fingerprint of the base, patches to add to it) of the difference that was made for these
    weights.
    """
    base, state = read_difference(said)
    names = {
        name.removesuffix(".weight"): name
        for name in source.model.state_dict()
        if name.endswith(".weight")
    }
    return base, comfy.lora.load_lora(state, names)


def _base_is_gone() -> dict[str, torch.Tensor]:
    raise ValueError(
        "This model was stored as the difference from a base whose quantized file is gone. Run "
        "`personalq quantize` with `--base` again, or delete the difference beside it."
    )


def _pooled(
    source: ModelPatcher, recipe: Recipe, said: About, make: Callable[[], dict]
) -> Quantized:
    key = ("taq", said.weights, recipe)
    return POOL.get(
        key, lambda: _quantize(source, recipe, said, make), lambda made: made.patcher.model_size()
    )


def _quantize(
    source: ModelPatcher, recipe: Recipe, said: About, make: Callable[[], dict]
) -> Quantized:
    """In the shape of `source`'s UNet, from the file of `said`, or from what `make` gives."""
    started = time.perf_counter()
    state = portable(kept_on_disk(said, make), source.load_device)
    model = _same_model_without_weights(source, recipe.preset.activations)
    unet: torch.nn.Module = model.diffusion_model
    text = {name: state.pop(name) for name in list(state) if layer_group(name) == KV_GROUP}
    left_out, unknown = unet.load_state_dict(state, strict=False)
    if unknown or set(left_out) != set(text):
        raise ValueError(
            f"These weights do not fit the model: {', '.join([*unknown, *left_out][:3])}."
        )
    for (
        name,
        weight,
    ) in text.items():  # not copied: from a file they stay on disk until a prompt is projected
        unet.get_submodule(name.removesuffix(".weight")).weight = torch.nn.Parameter(
            weight, requires_grad=False
        )
    patcher = TAQPatcher(model, source.load_device, source.offload_device)
    free_when_unloaded(patcher)
    patcher.size = comfy.model_management.module_size(model) - sum(
        weight.nbytes for weight in text.values()
    )
    return Quantized(patcher, recipe.preset, time.perf_counter() - started)


def _state(source: ModelPatcher, recipe: Recipe, progress: Progress) -> dict[str, torch.Tensor]:
    return quantize_state(
        dict(read_weights(source)), recipe.preset.weight_bits, dict(recipe.overrides), progress
    )


def _same_model_without_weights(source: ModelPatcher, activations: Activations) -> BaseModel:
    """The host's model class of `source` with quantizable layers and weights still to be loaded."""
    old = source.model
    dtype = old.manual_cast_dtype or old.get_dtype()
    model = copied_config(source, dtype, operations(dtype, activations)).get_model(
        {}, "", device=source.offload_device
    )
    model.model_type, model.latent_format = old.model_type, old.latent_format
    model.model_sampling = copy.deepcopy(
        source.object_patches_backup.get("model_sampling", old.model_sampling)
    )
    projections = TextProjections(side_memory(model))
    unet = model.diffusion_model
    for name in [name for name, _ in unet.named_modules() if layer_group(name) == KV_GROUP]:
        unet.set_submodule(name, _text_linear(unet.get_submodule(name), projections))
    return model


def _text_linear(linear: torch.nn.Module, projections: TextProjections) -> TextLinear:
    made = TextLinear(linear.in_features, linear.out_features, bias=False, device="meta")
    made.projections = projections
    return made


def read_weights(source: ModelPatcher) -> Iterator[tuple[str, Callable[[], torch.Tensor]]]:
    """(name in the UNet, function giving the weight where it is quantized, in float32 where patches
    are merged).
    """
    merged = merged_patches(source)
    cuda = (
        source.load_device.type == "cuda"
    )  # others lack an operator or a number format of some layout
    device = source.load_device if cuda else torch.device("cpu")
    for key, (original, *_) in source.get_key_patches(PREFIX).items():
        read = partial(_patched, key, original, merged.get(key, []), device)
        yield key.removeprefix(PREFIX), read


def _patched(key: str, original: tuple, patches: list, device: torch.device) -> torch.Tensor:
    weight, convert = original
    weight = convert(weight, inplace=False).to(device)
    if not patches:
        return weight
    return comfy.lora.calculate_weight(
        patches, weight.to(torch.float32, copy=True), key
    )  # it adds in place
