"""Makes a quantized copy of a MODEL with the host's own means: `custom_operations` and a state dict
of quantized weights.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import comfy.lora
import comfy.model_management
import torch
from comfy.model_base import BaseModel
from comfy.model_patcher import ModelPatcher

from ....checkin.lexicon.sentences import say
from ....taq_kernels import Preset, Report
from ....taq_kernels.families import KV_GROUP, TEXT_GROUP, layer_group
from ....taq_kernels.spec import Activations
from ....taq_kernels.storage.files import FileMetadata
from ....taq_kernels.storage.state_dict import (
    Progress,
    portable,
    quantize_state,
    weights_fingerprint,
)
from ..models.load import source_key
from ..models.patch_bytes import tensor_bytes
from ..models.pool import FACTS, POOL
from .files import cached_on_disk, path_of, read_residual, residual_path
from .operations import TextEmbedding, TextLinear, operations
from .patcher import TAQPatcher
from .patches import PREFIX, is_offloaded, merged_patches
from .plain_unet import copied_config
from .side_memory import free_when_unloaded, side_memory
from .supported import architecture_and_family, refuse_unsupported
from .text_projections import TextProjections

BEFORE_SAMPLING = "llm_adapter."
"""Start of the names of the layers that the host runs before it calls the model: those of Anima."""


@dataclass(frozen=True)
class QuantConfig:
    """How a UNet is quantized."""

    preset: Preset
    overrides: tuple[tuple[str, int | None], ...] = ()
    """(pattern of layer names, bits or None); the first pattern that matches applies."""
    rounding: str = "nearest"
    """How codes are chosen; all but "nearest" are read from a file of calibrated weights."""


class Quantized(NamedTuple):
    """A quantized UNet, and how it was made."""

    patcher: TAQPatcher
    """The quantized UNet, without anything else of the MODEL that it was made from."""
    preset: Preset
    seconds: float
    """How long quantizing or loading took, the first time."""

    @property
    def report(self) -> Report:
        """The report of the UNet, counted from its tensors."""
        unet = self.patcher.model.diffusion_model
        return Report.of(
            unet, self.preset, self.patcher.load_device, kv_offloaded=True, seconds=self.seconds
        )


def quantize_model(source: ModelPatcher, config: QuantConfig, progress: Progress) -> Quantized:
    """Quantize the UNet of `source`, without its LoRAs, as `config` says.

    The result is pooled by the value of the weights, and cached on disk for the next start. If a
    low-rank residual was made for these weights (`personalq quantize --base`), the result is its
    base with the residual. Patches that cannot bypass the weights are merged into them before
    quantizing. `progress(done, total)` is called for each weight. Raises ValueError for a model
    that TAQ does not support.
    """
    refuse_unsupported(source)
    metadata = file_metadata(source, config)
    if not residual_path(metadata).exists():
        return _pooled(source, config, metadata, partial(_state, source, config, progress))
    key = ("difference", metadata.weights, config, residual_path(metadata).stat().st_mtime_ns)
    base, patches = POOL.get(
        key,
        lambda: _residual(source, metadata),
        lambda found: sum(map(tensor_bytes, found[1].values())),
        beside=(source_key(source),),
    )
    made = _pooled(source, config, replace(metadata, weights=base), _base_is_gone)
    patcher = made.patcher.clone()
    patcher.add_patches(patches)
    return made._replace(patcher=patcher)


def file_metadata(source: ModelPatcher, config: QuantConfig) -> FileMetadata:
    """The metadata of the file for `source` quantized as `config` says."""
    merged = merged_patches(source)
    key = ("fingerprint", source_key(source), source.patches_uuid if merged else None)
    content = FACTS.get(
        key, lambda: weights_fingerprint(_originals(source), sorted(merged.items())), len
    )
    return FileMetadata(content, config.preset.weight_bits, config.overrides, config.rounding)


def _originals(source: ModelPatcher) -> dict[str, torch.Tensor]:
    """The weights without any patches."""
    found = source.get_key_patches(PREFIX)
    return {
        key.removeprefix(PREFIX): convert(weight, inplace=False)
        for key, ((weight, convert), *_) in found.items()
    }


def _residual(source: ModelPatcher, metadata: FileMetadata) -> tuple[str, dict]:
    """(fingerprint of the base, patches to add to it), from the weights' low-rank residual."""
    base, state = read_residual(metadata)
    names = {
        name.removesuffix(".weight"): name
        for name in source.model.state_dict()
        if not name.endswith(".bias")  # the host finds it by its weight
    }
    return base, comfy.lora.load_lora(state, names)


def _base_is_gone() -> dict[str, torch.Tensor]:
    raise ValueError(
        say(
            "This model was stored as the difference from a base whose quantized file is gone. Run "
            "`personalq quantize` with `--base` again, or delete the difference beside it."
        )
    )


def _pooled(
    source: ModelPatcher, config: QuantConfig, metadata: FileMetadata, make: Callable[[], dict]
) -> Quantized:
    device = source.load_device  # the stored weights are made for it
    padding = tuple(_padding_modes(source).items())
    key = ("taq", metadata.weights, config, _calibrated(metadata), device, padding)
    return POOL.get(
        key,
        lambda: _quantize(source, config, metadata, make),
        lambda made: comfy.model_management.module_size(made.patcher.model),
        beside=(source_key(source),),
    )


def _padding_modes(source: ModelPatcher) -> dict[str, str]:
    """Layer -> how it pads, where that is not with zeros: a node for seamless textures changed it
    in the MODEL itself.
    """
    modes = {
        name: getattr(layer, "padding_mode", "zeros")
        for name, layer in source.model.diffusion_model.named_modules()
    }
    return {name: mode for name, mode in modes.items() if mode != "zeros"}


def _calibrated(metadata: FileMetadata) -> int | None:
    """When calibrated weights were made: made again, they are others."""
    path = path_of(metadata)
    is_read = metadata.rounding != "nearest" and path.exists()
    return path.stat().st_mtime_ns if is_read else None


def _quantize(
    source: ModelPatcher, config: QuantConfig, metadata: FileMetadata, make: Callable[[], dict]
) -> Quantized:
    """Build a UNet like `source`'s with weights from the file of `metadata`, or from `make`."""
    started = time.perf_counter()
    state = portable(cached_on_disk(metadata, make), source.load_device)
    model = _same_model_without_weights(source, config.preset.activations)
    unet: torch.nn.Module = model.diffusion_model
    text = {name: state.pop(name) for name in _offloaded(unet) if name in state}
    left_out, unknown = unet.load_state_dict(state, strict=False)
    if unknown or set(left_out) != set(text):
        raise ValueError(
            f"These weights do not fit the model: {', '.join([*unknown, *left_out][:3])}."
        )
    for (
        name,
        weight,
    ) in text.items():  # not copied, so weights from a file stay there until a prompt is projected
        layer, _, kind = name.rpartition(".")
        parameter = torch.nn.Parameter(weight, requires_grad=False)
        setattr(unet.get_submodule(layer), kind, parameter)
    patcher = TAQPatcher(model, source.load_device, source.offload_device)
    free_when_unloaded(patcher)
    patcher.size = comfy.model_management.module_size(model) - sum(
        weight.nbytes for weight in text.values()
    )
    return Quantized(patcher, config.preset, time.perf_counter() - started)


def _state(
    source: ModelPatcher, config: QuantConfig, progress: Progress
) -> dict[str, torch.Tensor]:
    return quantize_state(
        dict(read_weights(source)), config.preset.weight_bits, dict(config.overrides), progress
    )


def _same_model_without_weights(source: ModelPatcher, activations: Activations) -> BaseModel:
    """A model of `source`'s class in the host, with quantizable layers and no weights loaded."""
    old = source.model
    dtype = old.manual_cast_dtype or old.get_dtype()
    model = copied_config(source, dtype, operations(dtype, activations)).get_model(
        {}, "", device=source.offload_device
    )
    model.model_type, model.latent_format = old.model_type, old.latent_format
    model.model_sampling = copy.deepcopy(
        source.object_patches_backup.get("model_sampling", old.model_sampling)
    )
    unet = model.diffusion_model
    _offload_text(unet, TextProjections(side_memory(model)))
    architecture_and_family(source)[0].prepare(unet)
    for name, mode in _padding_modes(source).items():
        layer: Any = unet.get_submodule(name)
        layer.padding_mode = mode
    return model


def _offload_text(unet: torch.nn.Module, projections: TextProjections) -> None:
    """Replace the layers of the text by those that stay in main memory."""
    for name, layer in list(unet.named_modules()):
        if layer_group(name) not in (KV_GROUP, TEXT_GROUP):
            continue
        made: TextLinear | TextEmbedding
        if hasattr(layer, "in_features"):
            has_bias = layer.bias is not None
            made = TextLinear(layer.in_features, layer.out_features, has_bias, device="meta")
        elif hasattr(layer, "num_embeddings"):
            made = TextEmbedding(layer.num_embeddings, layer.embedding_dim, device="meta")
        else:
            continue
        made.before_sampling = name.startswith(BEFORE_SAMPLING)
        if not made.before_sampling and isinstance(made, TextLinear):
            made.projections = projections
        unet.set_submodule(name, made)


def _offloaded(unet: torch.nn.Module) -> list[str]:
    """The names of the parameters that stay in main memory."""
    return [
        f"{name}.{kind}"
        for name, layer in unet.named_modules()
        if is_offloaded(layer)
        for kind, _ in layer.named_parameters(recurse=False)
    ]


def read_weights(source: ModelPatcher) -> Iterator[tuple[str, Callable[[], torch.Tensor]]]:
    """(name in the UNet, function that reads the weight) for each weight.

    The function returns the weight on the device that quantizes it, in float32 if patches are
    merged into it.
    """
    merged = merged_patches(source)
    cuda = (
        source.load_device.type == "cuda"
    )  # other devices lack an operator or a number format that some layout needs
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
    )  # calculate_weight adds in place
