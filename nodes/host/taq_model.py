"""A quantized copy of a MODEL, by the host's own way in: `custom_operations` and a state dict of quantized weights."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import comfy.lora
import comfy.supported_models as supported
import torch
from comfy.ldm.modules.diffusionmodules.openaimodel import UNetModel
from comfy.model_base import BaseModel
from comfy.model_patcher import ModelPatcher
from comfy.quant_ops import QuantizedTensor

from ...taq_kernels import Preset, Report
from ...taq_kernels.layers import kept
from ...taq_kernels.quantize import quantize_weight
from .load import source_key
from .pool import POOL
from .taq_operations import CONV_FORMATS, TextLinear, operations, quant_entry

SUPPORTED = (supported.SD15, supported.SDXL)
"""Model configurations of the host that TAQ runs, with their subclasses."""
SUPPORTED_NAMES = "SD 1.5 and its fine-tunes, SDXL, SDXL-Turbo, SSD-1B, Segmind Vega"

PREFIX = "diffusion_model."
FORMATS = {
    "TensorWiseINT8Layout": "int8_tensorwise",
    "AsymW4A8Int8Layout": "asym_w4a8_int8",
    **{layout: name for name, layout in CONV_FORMATS.items()},
}
"""comfy-kitchen layout -> name in a file's `comfy_quant` entry."""


class Quantized(NamedTuple):
    patcher: ModelPatcher
    """Holds the quantized UNet and nothing else of the MODEL it was made from."""
    report: Report


def quantize_model(source: ModelPatcher, preset: Preset, progress: Callable[[int, int], None]) -> Quantized:
    """The UNet of `source`, its LoRA patches applied, quantized by `preset`; pooled by the value of those weights.

    `progress(done, total)` is called for each weight. Raises ValueError for a model that TAQ does not support.
    """
    refuse_unsupported(source)
    key = ("taq", source_key(source), preset.name)
    return POOL.get(key, lambda: _quantize(source, preset, progress), lambda made: made.patcher.model_size())


def dress(quantized: Quantized, source: ModelPatcher) -> ModelPatcher:
    """`quantized` with everything of `source` that is not weights: samplers, patches, wrappers, hooks, attachments."""
    base = quantized.patcher
    model = source.clone(disable_dynamic=True, model_override=base.get_clone_model_override())
    model.patches, model.patches_uuid = {}, base.patches_uuid
    model.size, model.parent, model.clone_base_uuid = base.size, base, base.clone_base_uuid
    model.is_injected = False
    model.cached_patcher_init = None
    return model


def refuse_unsupported(source: ModelPatcher) -> None:
    """Raise ValueError, with the list of supported models, when TAQ cannot run the MODEL."""
    config, unet = source.model.model_config, source.get_model_object("diffusion_model")
    if not isinstance(unet, UNetModel) or not isinstance(config, SUPPORTED):
        raise ValueError(
            f"TAQ does not support this model ({type(config).__name__}). It runs the UNets of {SUPPORTED_NAMES}. "
            "Connect such a model, or run this one without TAQ."
        )
    if any(isinstance(weight, QuantizedTensor) for weight in unet.parameters()):
        raise ValueError(
            "This model is quantized already. Connect the full-precision model: TAQ keeps the trigger exact only when "
            "it starts from the original weights."
        )


def _quantize(source: ModelPatcher, preset: Preset, progress: Callable[[int, int], None]) -> Quantized:
    model = _same_model_without_weights(source)
    unet: torch.nn.Module = model.diffusion_model
    state: dict[str, torch.Tensor] = {}
    weights = dict(_weights(source))
    for done, (name, read) in enumerate(weights.items(), 1):
        layer, _, parameter = name.rpartition(".")
        weight = read()
        if parameter == "weight" and weight.ndim in (2, 4) and kept(layer) is None:
            state.update(_quantized_state(layer, quantize_weight(weight, preset)))
        else:
            state[name] = weight
        progress(done, len(weights))
    unet.load_state_dict(state)
    patcher = ModelPatcher(model, source.load_device, source.offload_device)
    patcher.model_size()
    return Quantized(patcher, Report.of(unet, preset, source.load_device))


def _same_model_without_weights(source: ModelPatcher) -> BaseModel:
    """The host's model class of `source` with quantizable layers and weights still to be loaded."""
    old = source.model
    config = object.__new__(type(old.model_config))  # its __getattr__ answers everything, which copy.copy cannot stand
    config.__dict__.update(old.model_config.__dict__)
    dtype = old.manual_cast_dtype or old.get_dtype()
    config.unet_config = {**config.unet_config, "dtype": dtype}
    config.manual_cast_dtype = None
    config.custom_operations = operations(dtype)
    model = config.get_model({}, "", device=source.offload_device)
    model.model_type, model.latent_format = old.model_type, old.latent_format
    model.model_sampling = copy.deepcopy(source.object_patches_backup.get("model_sampling", old.model_sampling))
    for name, attn in model.diffusion_model.named_modules():
        if name.endswith(".attn2"):
            attn.to_k, attn.to_v = _text_linear(attn.to_k, dtype), _text_linear(attn.to_v, dtype)
    return model


def _text_linear(linear: torch.nn.Module, dtype: torch.dtype) -> TextLinear:
    return TextLinear(linear.in_features, linear.out_features, bias=False, dtype=dtype)


def _weights(source: ModelPatcher) -> Iterator[tuple[str, Callable[[], torch.Tensor]]]:
    """(name in the UNet, function giving the float32 weight on the compute device with its patches applied)."""
    for key, patches in source.get_key_patches(PREFIX).items():
        yield key.removeprefix(PREFIX), partial(_patched, key, patches, source.load_device)


def _patched(key: str, patches: list, device: torch.device) -> torch.Tensor:
    (weight, convert), *patches = patches
    weight = convert(weight, inplace=False).to(device, torch.float32, copy=True)  # the host adds patches in place
    return comfy.lora.calculate_weight(patches, weight, key) if patches else weight


def _quantized_state(layer: str, weight: QuantizedTensor) -> dict[str, torch.Tensor]:
    """State-dict entries of a quantized weight, as the host writes them in its own quantized files."""
    return {
        **{name: tensor.cpu() for name, tensor in weight.state_dict(f"{layer}.weight").items()},
        f"{layer}.comfy_quant": quant_entry(_format(weight)),
    }


def _format(weight: QuantizedTensor) -> dict[str, str | int]:
    """How the host's `comfy_quant` entry names the layout of `weight`."""
    name = FORMATS[weight._layout_cls]
    sizes = ("group_size", "convrot_groupsize") if name == "asym_w4a8_int8" else ()
    return {"format": name, **{size: getattr(weight.params, size) for size in sizes}}
